// First steps with the two tables: TypeScript and the AWS SDK v3.
//
//     dyno &
//     dyno planes deploy --prefix my-app
//     npx tsx examples/first-steps/example.ts
//
// The same on AWS: deploy the template of `dyno planes template`, and leave AWS_ENDPOINT_URL_DYNAMODB unset.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  NumberValue,
  paginateQuery,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

const PREFIX = process.env.PREFIX ?? 'my-app';
const CONTROL = `${PREFIX}-ControlPlaneTable`;
const DATA = `${PREFIX}-DataPlaneTable`;
const USER = 'user01';

// Numbers come as their digits, and go as NumberValue, so that none loses digits on its way through a float.
const ddb = DynamoDBDocumentClient.from(new DynamoDBClient({}), {
  marshallOptions: { removeUndefinedValues: true },
  unmarshallOptions: { wrapNumbers: (text: string) => text },
});

/** The shard of an id, the same in every language: h = h * 31 + c over UTF-16 units, in 32 bits. */
function shardOf(text: string, count: number): number {
  let h = 0;
  for (let i = 0; i < text.length; i += 1) h = (Math.imul(h, 31) + text.charCodeAt(i)) >>> 0;
  return h % count;
}

// --- ControlPlane ---------------------------------------------------------------------------------------------------

interface Profile {
  text: string;
  updatedAt: string;
}

/** Overwrites the latest version, and counts. With a revision, only if nobody else has written since it was read. */
async function putLatest(resourceKey: string, value: Profile, revision?: number): Promise<number> {
  const answer = await ddb.send(
    new UpdateCommand({
      TableName: CONTROL,
      Key: { resource_key: resourceKey, event_key: 'config#latest' },
      UpdateExpression: 'SET #value = :value, timeline = :now ADD revision :one',
      ConditionExpression: revision === undefined ? undefined : 'revision = :revision',
      ExpressionAttributeNames: { '#value': 'value' },
      ExpressionAttributeValues: {
        ':value': value,
        ':now': new Date().toISOString(),
        ':one': 1,
        ...(revision === undefined ? {} : { ':revision': revision }),
      },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return Number(answer.Attributes?.revision);
}

/** Keeps a version. The condition is what makes it never overwrite another of the same millisecond. */
async function putVersion(resourceKey: string, at: Date, value: object): Promise<void> {
  await ddb.send(
    new PutCommand({
      TableName: CONTROL,
      Item: {
        resource_key: resourceKey,
        event_key: `version#${at.toISOString()}`,
        timeline: at.toISOString(),
        value,
      },
      ConditionExpression: 'attribute_not_exists(resource_key)',
    }),
  );
}

async function latest(resourceKey: string): Promise<{ value: Profile; revision: string } | undefined> {
  const Key = { resource_key: resourceKey, event_key: 'config#latest' };
  const answer = await ddb.send(new GetCommand({ TableName: CONTROL, Key, ConsistentRead: true }));
  return answer.Item as { value: Profile; revision: string } | undefined;
}

/** The kept versions, newest first. */
async function history(resourceKey: string, limit = 20): Promise<Array<{ value: { text: string } }>> {
  const pages = paginateQuery(
    { client: ddb },
    {
      TableName: CONTROL,
      KeyConditionExpression: 'resource_key = :key AND begins_with(event_key, :version)',
      ExpressionAttributeValues: { ':key': resourceKey, ':version': 'version#' },
      ScanIndexForward: false,
      Limit: limit,
    },
  );
  const versions: Array<{ value: { text: string } }> = [];
  for await (const page of pages) {
    versions.push(...((page.Items ?? []) as typeof versions));
    if (versions.length >= limit) break;
  }
  return versions;
}

// --- DataPlane ------------------------------------------------------------------------------------------------------

interface Observation {
  event_key_sharded: string;
  value: { key: string; value: string; category?: string; source: string };
}

async function recordObservation(user: string, value: object, keepDays: number): Promise<string> {
  const now = new Date();
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  const obsId = `obs_${day}_${randomBytes(8).toString('hex')}`;
  const shard = shardOf(obsId, 1); // one shard at first; raise the count when it gets hot
  const key = `observation$${shard}#${obsId}`;
  await ddb.send(
    new PutCommand({
      TableName: DATA,
      Item: {
        event_key_sharded: key,
        data_type_indexed: 'value$0',
        publisher_resource_key: `observations#${user}`,
        timeline: now.toISOString(),
        timeline_bucket: `all$${shard}`,
        ttl: Math.ceil(now.getTime() / 1000) + keepDays * 86_400,
        value,
      },
      ConditionExpression: 'attribute_not_exists(event_key_sharded)',
    }),
  );
  return key;
}

/** A user's observations, newest first, without what has expired and is not deleted yet. */
async function observations(user: string, limit = 50): Promise<Observation[]> {
  const pages = paginateQuery(
    { client: ddb },
    {
      TableName: DATA,
      IndexName: 'index_publisher_resource_key',
      KeyConditionExpression: 'publisher_resource_key = :publisher',
      FilterExpression: 'attribute_not_exists(#ttl) OR #ttl > :now',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':publisher': `observations#${user}`, ':now': Math.floor(Date.now() / 1000) },
      ScanIndexForward: false,
      Limit: limit,
    },
  );
  const found: Observation[] = [];
  for await (const page of pages) {
    found.push(...((page.Items ?? []) as Observation[]));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

async function main(): Promise<void> {
  const profile = `profile#${USER}`;
  const now = new Date();
  const updatedAt = now.toISOString();
  const revision = await putLatest(profile, { text: '個人投資家', updatedAt });
  await putVersion(profile, now, { text: '初版', savedAt: updatedAt });
  await assert.rejects(putVersion(profile, now, { text: 'would be lost' }), ConditionalCheckFailedException);
  await putLatest(profile, { text: '長期投資家', updatedAt }, revision);
  await assert.rejects(putLatest(profile, { text: 'stale', updatedAt }, revision), ConditionalCheckFailedException);

  const item = await latest(profile);
  assert.equal(item?.value.text, '長期投資家');
  assert.equal((await history(profile))[0]?.value.text, '初版');
  console.log(`latest   ${item?.value.text}, revision ${item?.revision}`);

  const value = { key: 'USDJPY', value: NumberValue.from('149.3'), category: 'forex', source: 'TypeScript' };
  const key = await recordObservation(USER, value, 30);
  const found = await observations(USER);
  assert.equal(found[0]?.event_key_sharded, key);
  assert.equal(found[0]?.value.value, '149.3');
  for (const { value: { key: name, value: figure, source } } of found) {
    console.log(`observed ${name} ${figure}, written by ${source}`);
  }
}

await main();
