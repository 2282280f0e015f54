// What every test uses: clients of the server, and tables.
//
// The server is started by `cargo xtask e2e`, which also sets credentials and region in the
// environment. Retries are off: an answer that a retry would hide fails its test.

import assert from 'node:assert/strict'
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

const endpoint = process.env.DYNO_ENDPOINT
assert.ok(endpoint, 'DYNO_ENDPOINT must name a running server; run these tests with `cargo xtask e2e`')

export const client = new DynamoDBClient({ endpoint, region: 'us-east-1', maxAttempts: 1 })
export const documents = DynamoDBDocumentClient.from(client)

const patience = { client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }

// Creates a table from `{ name, pk, sk?, indexes? }`; keys are written `name:S`.
export async function createTable({ name, pk, sk, indexes = [] }) {
  const definitions = new Map()
  const schema = (...keys) =>
    keys.filter(Boolean).map((key, position) => {
      const [AttributeName, AttributeType] = key.split(':')
      definitions.set(AttributeName, { AttributeName, AttributeType })
      return { AttributeName, KeyType: position === 0 ? 'HASH' : 'RANGE' }
    })
  const input = {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: schema(pk, sk),
    GlobalSecondaryIndexes: indexes.length
      ? indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: schema(index.pk, index.sk),
          Projection: { ProjectionType: 'ALL' },
        }))
      : undefined,
  }
  input.AttributeDefinitions = [...definitions.values()]
  await client.send(new CreateTableCommand(input))
  const waited = await waitUntilTableExists(patience, { TableName: name })
  assert.equal(waited.state, 'SUCCESS')
  return name
}

export async function deleteTable(name) {
  await client.send(new DeleteTableCommand({ TableName: name }))
  const waited = await waitUntilTableNotExists(patience, { TableName: name })
  assert.equal(waited.state, 'SUCCESS')
}

// Checks that a call is refused with exactly this error type and message; gives the error.
export async function refused(promise, name, message) {
  try {
    await promise
  } catch (error) {
    assert.equal(`${error.name}: ${error.message}`, `${name}: ${message}`)
    assert.equal(error.$metadata.httpStatusCode, 400)
    return error
  }
  assert.fail(`expected ${name}`)
}

// All pages of a paginator in one list.
export async function all(pages) {
  const items = []
  for await (const page of pages) items.push(...page.Items)
  return items
}
