// The document client: plain JavaScript values, marshalled there and back.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  NumberValue,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
  paginateQuery,
  paginateScan,
} from '@aws-sdk/lib-dynamodb'
import { all, client, createTable, deleteTable, documents, refused } from '../helpers.js'

const TableName = 'js-documents'

before(() => createTable({ name: TableName, pk: 'pk:S', sk: 'sk:S', indexes: [{ name: 'gsi1', pk: 'gsi1pk:S', sk: 'gsi1sk:S' }] }))
after(() => deleteTable(TableName))

const get = async (pk, sk = 'x') => (await documents.send(new GetCommand({ TableName, Key: { pk, sk } }))).Item

describe('marshalling', () => {
  it('keeps JavaScript values', async () => {
    const item = {
      pk: 'values',
      sk: 'x',
      text: 'héllo',
      number: -12.5,
      yes: true,
      nothing: null,
      list: ['a', 1, [null, { deep: 'yes' }]],
      map: { a: { b: { c: '' } } },
      strings: new Set(['a', 'b']),
      numbers: new Set([1, 2]),
      bytes: Uint8Array.of(0, 1, 255),
    }
    await documents.send(new PutCommand({ TableName, Item: item }))
    assert.deepEqual(await get('values'), item)
  })

  it('keeps numbers that JavaScript cannot', async () => {
    const exact = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: true } })
    const big = NumberValue.from('12345678901234567890.123456789')
    await exact.send(new PutCommand({ TableName, Item: { pk: 'big', sk: 'x', big } }))
    const { Item } = await exact.send(new GetCommand({ TableName, Key: { pk: 'big', sk: 'x' } }))
    assert.equal(String(Item.big.value), '12345678901234567890.123456789')
  })

  it('leaves out undefined when asked to', async () => {
    const lenient = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
    await lenient.send(new PutCommand({ TableName, Item: { pk: 'undefined', sk: 'x', gone: undefined, kept: 1 } }))
    assert.deepEqual(await get('undefined'), { pk: 'undefined', sk: 'x', kept: 1 })
  })
})

describe('everyday work', () => {
  it('updates and returns', async () => {
    await documents.send(new PutCommand({ TableName, Item: { pk: 'u', sk: 'x', n: 1, steps: [1], m: { a: 1 } } }))
    const { Attributes } = await documents.send(
      new UpdateCommand({
        TableName,
        Key: { pk: 'u', sk: 'x' },
        UpdateExpression: 'SET n = n + :one, steps = list_append(:front, steps), m.#b = :one REMOVE m.a',
        ConditionExpression: 'n = :one',
        ExpressionAttributeNames: { '#b': 'b' },
        ExpressionAttributeValues: { ':one': 1, ':front': [0] },
        ReturnValues: 'ALL_NEW',
      }),
    )
    assert.deepEqual(Attributes, { pk: 'u', sk: 'x', n: 2, steps: [0, 1], m: { b: 1 } })
    await refused(
      documents.send(
        new DeleteCommand({
          TableName,
          Key: { pk: 'u', sk: 'x' },
          ConditionExpression: 'n < :n',
          ExpressionAttributeValues: { ':n': 2 },
        }),
      ),
      'ConditionalCheckFailedException',
      'The conditional request failed',
    )
  })

  it('writes and reads batches', async () => {
    const requests = Array.from({ length: 25 }, (_, number) => ({
      PutRequest: { Item: { pk: 'batch', sk: String(number).padStart(2, '0'), number } },
    }))
    const written = await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }))
    assert.deepEqual(written.UnprocessedItems, {})
    const read = await documents.send(
      new BatchGetCommand({
        RequestItems: { [TableName]: { Keys: [{ pk: 'batch', sk: '07' }, { pk: 'batch', sk: 'no' }] } },
      }),
    )
    assert.deepEqual(read.Responses[TableName], [{ pk: 'batch', sk: '07', number: 7 }])
    assert.deepEqual(read.UnprocessedKeys, {})
  })

  it('pages through queries and scans', async () => {
    for (let number = 0; number < 30; number++) {
      const Item = { pk: 'page', sk: String(number).padStart(2, '0'), gsi1pk: number % 2 ? 'odd' : 'even', gsi1sk: `${99 - number}` }
      await documents.send(new PutCommand({ TableName, Item }))
    }
    const query = {
      TableName,
      KeyConditionExpression: 'pk = :p AND begins_with(sk, :two)',
      ExpressionAttributeValues: { ':p': 'page', ':two': '2' },
    }
    const pages = await all(paginateQuery({ client: documents, pageSize: 3 }, query))
    assert.deepEqual(pages.map((item) => item.sk), ['20', '21', '22', '23', '24', '25', '26', '27', '28', '29'])

    const { Items } = await documents.send(
      new QueryCommand({
        TableName,
        IndexName: 'gsi1',
        KeyConditionExpression: 'gsi1pk = :o',
        FilterExpression: 'sk > :s',
        ExpressionAttributeValues: { ':o': 'odd', ':s': '25' },
      }),
    )
    assert.deepEqual(Items.map((item) => item.sk), ['29', '27'])

    const scan = { TableName, FilterExpression: 'pk = :p', ExpressionAttributeValues: { ':p': 'page' } }
    const scanned = await all(paginateScan({ client: documents, pageSize: 4 }, scan))
    assert.equal(scanned.length, 30)
  })

  it('commits or cancels transactions whole', async () => {
    const put = (pk) => ({
      Put: { TableName, Item: { pk, sk: 'x' }, ConditionExpression: 'attribute_not_exists(pk)' },
    })
    await documents.send(new TransactWriteCommand({ TransactItems: [put('t1'), put('t2')] }))
    await refused(
      documents.send(new TransactWriteCommand({ TransactItems: [put('t3'), put('t2')] })),
      'TransactionCanceledException',
      'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]',
    )
    const { Responses } = await documents.send(
      new TransactGetCommand({
        TransactItems: ['t1', 't3'].map((pk) => ({ Get: { TableName, Key: { pk, sk: 'x' } } })),
      }),
    )
    assert.deepEqual(Responses, [{ Item: { pk: 't1', sk: 'x' } }, {}])
  })

  it('counts without a lost update under concurrency', async () => {
    const add = () =>
      documents.send(
        new UpdateCommand({
          TableName,
          Key: { pk: 'hits', sk: 'x' },
          UpdateExpression: 'ADD hits :one',
          ExpressionAttributeValues: { ':one': 1 },
        }),
      )
    await Promise.all(Array.from({ length: 100 }, add))
    assert.equal((await get('hits')).hits, 100)
  })
})
