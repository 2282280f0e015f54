// Users and orders in a single table: the order transaction, a sparse index, and each access pattern.
//
//     dyno --fixtures examples/orders/table.json &
//     npx tsx examples/orders/orders.ts
//
// | item           | PK        | SK                     | GSI1              | GSI2             | GSI3              |
// | -------------- | --------- | ---------------------- | ----------------- | ---------------- | ----------------- |
// | USER           | USER#id   | PROFILE                | EMAIL#address     |                  |                   |
// | ORDER          | ORDER#id  | DETAIL                 | PRODUCT#id, time  | STATUS#s, time   | ADDRESS#id, time  |
// | USER_ORDER     | USER#id   | ORDER#time#orderId     |                   |                  | DELIVERED#month   |
//
// GSI2 and the deliveries in GSI3 are sparse: an order is in GSI2 only while it is under way, and in the deliveries only
// once it has arrived. What is in no index costs nothing there.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  PutCommand,
  type QueryCommandInput,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';

const TABLE_NAME = 'MyAppTable';
const ddb = DynamoDBDocumentClient.from(new DynamoDBClient({}));

type Status = 'PENDING' | 'SHIPPED' | 'DELIVERED';

interface User {
  userId: string;
  name: string;
  email: string;
}

interface Order {
  orderId: string;
  userId: string;
  productId: string;
  addressId: string;
  amount: number;
  status: Status;
  createdAt: string;
}

const Keys = {
  user: (userId: string) => ({ PK: `USER#${userId}`, SK: 'PROFILE' }),
  // The order's id after the time: two orders of one millisecond are two.
  userOrder: (userId: string, createdAt: string, orderId: string) => ({
    PK: `USER#${userId}`,
    SK: `ORDER#${createdAt}#${orderId}`,
  }),
  order: (orderId: string) => ({ PK: `ORDER#${orderId}`, SK: 'DETAIL' }),
};

async function createUser(user: User): Promise<void> {
  await ddb.send(
    new PutCommand({
      TableName: TABLE_NAME,
      Item: {
        ...Keys.user(user.userId),
        EntityType: 'USER',
        ...user,
        GSI1PK: `EMAIL#${user.email}`,
        GSI1SK: `USER#${user.userId}`,
        createdAt: new Date().toISOString(),
      },
      ConditionExpression: 'attribute_not_exists(PK)',
    }),
  );
}

/** The order and its entry in the user's list, both or neither. The token makes a repeated request one order. */
async function createOrder(order: Order, token: string): Promise<void> {
  const { orderId, userId, createdAt, amount, status } = order;
  await ddb.send(
    new TransactWriteCommand({
      ClientRequestToken: token,
      TransactItems: [
        {
          Put: {
            TableName: TABLE_NAME,
            Item: {
              ...Keys.order(orderId),
              EntityType: 'ORDER',
              ...order,
              GSI1PK: `PRODUCT#${order.productId}`,
              GSI1SK: `${createdAt}#${orderId}`,
              GSI2PK: `STATUS#${status}`,
              GSI2SK: `${createdAt}#${orderId}`,
              GSI3PK: `ADDRESS#${order.addressId}`,
              GSI3SK: `${createdAt}#${orderId}`,
            },
            ConditionExpression: 'attribute_not_exists(PK)',
          },
        },
        {
          Put: {
            TableName: TABLE_NAME,
            Item: {
              ...Keys.userOrder(userId, createdAt, orderId),
              EntityType: 'USER_ORDER',
              orderId,
              amount,
              status,
              createdAt,
            },
          },
        },
      ],
    }),
  );
}

/**
 * Changes the status everywhere it is kept: in the order, in the key of GSI2 that is made of it, and in the user's entry.
 * The condition refuses a change that was decided on an older status.
 */
async function changeStatus(order: Order, to: Status): Promise<void> {
  const now = new Date().toISOString();
  const isDelivered = to === 'DELIVERED';
  await ddb.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Update: {
            TableName: TABLE_NAME,
            Key: Keys.order(order.orderId),
            UpdateExpression: isDelivered
              ? 'SET #status = :to, updatedAt = :now REMOVE GSI2PK, GSI2SK'
              : 'SET #status = :to, updatedAt = :now, GSI2PK = :key',
            ConditionExpression: '#status = :from',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ':from': order.status,
              ':to': to,
              ':now': now,
              ...(isDelivered ? {} : { ':key': `STATUS#${to}` }),
            },
          },
        },
        {
          Update: {
            TableName: TABLE_NAME,
            Key: Keys.userOrder(order.userId, order.createdAt, order.orderId),
            UpdateExpression: isDelivered
              ? 'SET #status = :to, GSI3PK = :month, GSI3SK = :now'
              : 'SET #status = :to',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ':to': to,
              // A month, not one key for all: deliveries of all time under one key would be a hot and endless one.
              ...(isDelivered ? { ':month': `DELIVERED#${now.slice(0, 7)}`, ':now': now } : {}),
            },
          },
        },
      ],
    }),
  );
}

async function query<T>(input: Omit<QueryCommandInput, 'TableName'>, limit = 20): Promise<T[]> {
  const items: T[] = [];
  for await (const page of paginateQuery({ client: ddb }, { TableName: TABLE_NAME, Limit: limit, ...input })) {
    items.push(...((page.Items ?? []) as T[]));
    if (items.length >= limit) break;
  }
  return items.slice(0, limit);
}

/** The newest first of one key of an index. The index follows the table after a moment. */
const inIndex = <T>(index: 'GSI1' | 'GSI2' | 'GSI3', key: string): Promise<T[]> =>
  query<T>({
    IndexName: index,
    KeyConditionExpression: `${index}PK = :key`,
    ExpressionAttributeValues: { ':key': key },
    ScanIndexForward: false,
  });

const getUser = async (userId: string) =>
  (await ddb.send(new GetCommand({ TableName: TABLE_NAME, Key: Keys.user(userId) }))).Item as User | undefined;
const getOrder = async (orderId: string) =>
  (await ddb.send(new GetCommand({ TableName: TABLE_NAME, Key: Keys.order(orderId) }))).Item as Order | undefined;
const userOrders = (userId: string) =>
  query<Order>({
    KeyConditionExpression: 'PK = :pk AND begins_with(SK, :prefix)',
    ExpressionAttributeValues: { ':pk': `USER#${userId}`, ':prefix': 'ORDER#' },
    ScanIndexForward: false,
  });
const ordersOfProduct = (productId: string) => inIndex<Order>('GSI1', `PRODUCT#${productId}`);
const ordersInStatus = (status: Status) => inIndex<Order>('GSI2', `STATUS#${status}`);
const ordersToAddress = (addressId: string) => inIndex<Order>('GSI3', `ADDRESS#${addressId}`);
const deliveries = (month: string) => inIndex<Order>('GSI3', `DELIVERED#${month}`);

const ids = (orders: Order[]): string[] => orders.map((order) => order.orderId);

async function main(): Promise<void> {
  // Ids of this run's own, so that the example can be run again on the same table.
  const run = randomUUID().slice(0, 8);
  const userId = `user-${run}`;
  await createUser({ userId, name: '花子', email: `${run}@example.com` });

  const orders: Order[] = [0, 1].map((number) => ({
    orderId: `order-${run}-${number}`,
    userId,
    productId: `product-${run}`,
    addressId: `address-${run}`,
    amount: 1980 + number,
    status: 'PENDING',
    createdAt: new Date(Date.now() + number).toISOString(),
  }));
  const [first, second] = orders as [Order, Order];
  await createOrder(first, `${run}-0`);
  await createOrder(first, `${run}-0`); // the network lost the answer: asked again, done once
  await createOrder(second, `${run}-1`);
  const newestFirst = [second.orderId, first.orderId];

  assert.equal((await getUser(userId))?.name, '花子');
  assert.equal((await getOrder(first.orderId))?.amount, 1980);
  assert.deepEqual(ids(await userOrders(userId)), newestFirst);
  assert.deepEqual(ids(await ordersOfProduct(first.productId)), newestFirst);
  assert.deepEqual(ids(await ordersToAddress(first.addressId)), newestFirst);
  assert.deepEqual(ids(await ordersInStatus('PENDING')).filter((id) => id.includes(run)), newestFirst);
  console.log(`ordered    ${newestFirst.length} orders by ${userId}`);

  await changeStatus(first, 'SHIPPED');
  await assert.rejects(changeStatus(first, 'DELIVERED'), TransactionCanceledException);
  const shipped = await getOrder(first.orderId);
  assert.ok(shipped);
  await changeStatus(shipped, 'DELIVERED');

  const month = new Date().toISOString().slice(0, 7);
  assert.deepEqual(ids(await deliveries(month)).filter((id) => id.includes(run)), [first.orderId]);
  assert.deepEqual(ids(await ordersInStatus('PENDING')).filter((id) => id.includes(run)), [second.orderId]);
  assert.deepEqual(ids(await ordersInStatus('SHIPPED')).filter((id) => id.includes(run)), []);
  const statuses = (await userOrders(userId)).map((order) => order.status);
  assert.deepEqual(statuses, ['PENDING', 'DELIVERED']);
  console.log(`delivered  ${first.orderId}; it left the index of orders under way and entered the deliveries of ${month}`);
}

await main();
