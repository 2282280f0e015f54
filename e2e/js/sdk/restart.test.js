// Written before a kill, read after the restart.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BatchWriteCommand, QueryCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { all, createTable, documents } from '../helpers.js'

const TableName = 'js-restart'
const half = process.env.DYNO_RESTART

test(`the half ${half}`, async () => {
  assert.ok(half === 'before' || half === 'after', 'DYNO_RESTART says which half this is')
  const items = Array.from({ length: 75 }, (_, number) => ({
    pk: `p${number % 3}`,
    sk: String(number).padStart(3, '0'),
    group: `g${number % 5}`,
    number,
    nested: { list: [number, 'x', null] },
  }))
  if (half === 'before') {
    await createTable({ name: TableName, pk: 'pk:S', sk: 'sk:S', indexes: [{ name: 'byGroup', pk: 'group:S', sk: 'sk:S' }] })
    for (let from = 0; from < items.length; from += 25) {
      const requests = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }))
      await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }))
    }
  }
  const found = await all(paginateScan({ client: documents }, { TableName, ConsistentRead: true }))
  assert.deepEqual(found.sort((a, b) => a.number - b.number), items)
  const { Items } = await documents.send(
    new QueryCommand({
      TableName,
      IndexName: 'byGroup',
      KeyConditionExpression: '#g = :g',
      ExpressionAttributeNames: { '#g': 'group' },
      ExpressionAttributeValues: { ':g': 'g2' },
    }),
  )
  assert.deepEqual(Items.map((item) => item.number), [...Array(15).keys()].map((step) => step * 5 + 2))
})
