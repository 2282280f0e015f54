// The plain client of the AWS SDK v3, which speaks DynamoDB's own JSON.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DescribeTableCommand,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  ScanCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  paginateListTables,
  paginateScan,
} from '@aws-sdk/client-dynamodb'
import { all, client, createTable, deleteTable, refused } from '../helpers.js'

const TableName = 'js-client'

before(() => createTable({ name: TableName, pk: 'pk:S', sk: 'sk:N', indexes: [{ name: 'byColour', pk: 'colour:S', sk: 'sk:N' }] }))
after(() => deleteTable(TableName))

const key = (pk, sk) => ({ pk: { S: pk }, sk: { N: String(sk) } })

describe('tables', () => {
  it('are described', async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }))
    assert.equal(Table.TableStatus, 'ACTIVE')
    assert.ok(Table.CreationDateTime instanceof Date)
    assert.ok(Math.abs(Table.CreationDateTime - Date.now()) < 600_000)
    assert.equal(Table.GlobalSecondaryIndexes[0].IndexStatus, 'ACTIVE')
  })

  it('are listed page by page', async () => {
    await createTable({ name: 'js-other', pk: 'pk:S' })
    const names = []
    for await (const page of paginateListTables({ client, pageSize: 1 }, {})) {
      assert.ok(page.TableNames.length <= 1)
      names.push(...page.TableNames)
    }
    assert.ok(names.includes(TableName) && names.includes('js-other'))
    const { TableNames } = await client.send(new ListTablesCommand({ ExclusiveStartTableName: 'js-client' }))
    assert.ok(TableNames.includes('js-other') && !TableNames.includes(TableName))
    await deleteTable('js-other')
  })

  it('cannot be made twice', async () => {
    const error = await refused(createTable({ name: TableName, pk: 'pk:S' }), 'ResourceInUseException', `Table already exists: ${TableName}`)
    assert.ok(error instanceof ResourceInUseException)
  })
})

describe('items', () => {
  it('keep every type', async () => {
    const Item = {
      ...key('types', 1),
      s: { S: '日本 😀' },
      empty: { S: '' },
      n: { N: '-0.000123' },
      big: { N: '12345678901234567890123456789012345678' },
      b: { B: Uint8Array.of(0, 255, 127) },
      bool: { BOOL: false },
      nil: { NULL: true },
      l: { L: [{ S: 'a' }, { M: { k: { N: '1' } } }] },
      m: { M: { deep: { M: { deeper: { L: [] } } } } },
      ss: { SS: ['a', 'b'] },
      ns: { NS: ['1', '2.5'] },
      bs: { BS: [Uint8Array.of(1), Uint8Array.of(2, 3)] },
    }
    await client.send(new PutItemCommand({ TableName, Item }))
    const got = await client.send(new GetItemCommand({ TableName, Key: key('types', 1), ConsistentRead: true }))
    assert.deepEqual(got.Item, Item)
  })

  it('are written under conditions', async () => {
    const Item = { ...key('cond', 1), v: { N: '1' } }
    const put = new PutItemCommand({
      TableName,
      Item,
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    await client.send(put)
    const error = await refused(client.send(put), 'ConditionalCheckFailedException', 'The conditional request failed')
    assert.ok(error instanceof ConditionalCheckFailedException)
    assert.deepEqual(error.Item, Item)
  })

  it('are updated and return what changed, and what it cost', async () => {
    await client.send(new PutItemCommand({ TableName, Item: { ...key('up', 1), n: { N: '1' }, colour: { S: 'red' } } }))
    const answer = await client.send(
      new UpdateItemCommand({
        TableName,
        Key: key('up', 1),
        UpdateExpression: 'ADD n :n SET colour = :c',
        ExpressionAttributeValues: { ':n': { N: '2' }, ':c': { S: 'blue' } },
        ReturnValues: 'UPDATED_NEW',
        ReturnConsumedCapacity: 'INDEXES',
      }),
    )
    assert.deepEqual(answer.Attributes, { n: { N: '3' }, colour: { S: 'blue' } })
    // The table's write, and two for the index: the entry moves (measured).
    assert.deepEqual(answer.ConsumedCapacity, {
      TableName,
      CapacityUnits: 3,
      Table: { CapacityUnits: 1 },
      GlobalSecondaryIndexes: { byColour: { CapacityUnits: 2 } },
    })
  })

  it('are deleted', async () => {
    await client.send(new PutItemCommand({ TableName, Item: key('del', 1) }))
    const { Attributes } = await client.send(new DeleteItemCommand({ TableName, Key: key('del', 1), ReturnValues: 'ALL_OLD' }))
    assert.deepEqual(Attributes, key('del', 1))
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: key('del', 1) }))
    assert.equal(Item, undefined)
  })
})

describe('reads of many', () => {
  before(async () => {
    for (let number = 0; number < 40; number++) {
      const colour = number % 4 ? {} : { colour: { S: 'green' } }
      await client.send(new PutItemCommand({ TableName, Item: { ...key('many', number), ...colour } }))
    }
  })

  it('query in order, on the table and the sparse index', async () => {
    const { Items } = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :p AND sk BETWEEN :a AND :b',
        ExpressionAttributeValues: { ':p': { S: 'many' }, ':a': { N: '9' }, ':b': { N: '12' } },
        ScanIndexForward: false,
      }),
    )
    assert.deepEqual(Items.map((item) => item.sk.N), ['12', '11', '10', '9'])
    const green = await client.send(
      new QueryCommand({
        TableName,
        IndexName: 'byColour',
        KeyConditionExpression: 'colour = :c',
        ExpressionAttributeValues: { ':c': { S: 'green' } },
      }),
    )
    assert.equal(green.Count, 10)
  })

  it('scan with a paginator and in parallel', async () => {
    const input = { TableName, FilterExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 'many' } } }
    const whole = await all(paginateScan({ client, pageSize: 7 }, { ...input }))
    assert.equal(whole.length, 40)
    const parts = await Promise.all(
      [0, 1, 2].map((Segment) => client.send(new ScanCommand({ ...input, Segment, TotalSegments: 3 }))),
    )
    assert.equal(parts.reduce((sum, part) => sum + part.Count, 0), 40)
  })
})

describe('errors', () => {
  it('have their class and text', async () => {
    const missing = await refused(
      client.send(new GetItemCommand({ TableName: 'js-none', Key: key('a', 1) })),
      'ResourceNotFoundException',
      'Requested resource not found',
    )
    assert.ok(missing instanceof ResourceNotFoundException)
    assert.equal(missing.$metadata.requestId.length, 52)
    await refused(
      client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'a' } } })),
      'ValidationException',
      'The provided key element does not match the schema',
    )
  })

  it('name the reasons of a cancelled transaction', async () => {
    const check = (pk) => ({
      ConditionCheck: { TableName, Key: key(pk, 1), ConditionExpression: 'attribute_exists(pk)' },
    })
    await client.send(new PutItemCommand({ TableName, Item: key('there', 1) }))
    const error = await refused(
      client.send(new TransactWriteItemsCommand({ TransactItems: [check('there'), check('nowhere')] })),
      'TransactionCanceledException',
      'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]',
    )
    assert.ok(error instanceof TransactionCanceledException)
    assert.deepEqual(
      error.CancellationReasons.map((reason) => reason.Code),
      ['None', 'ConditionalCheckFailed'],
    )
  })
})
