// Written by dyno design generate from orders.yaml: change that file instead.
// Keys of 注文アプリ.

/** The variable userId of keys. */
export type UserId = string & { readonly __name: "UserId" };
export const userId = (value: string): UserId => value as UserId;

/** The variable email of keys. */
export type Email = string & { readonly __name: "Email" };
export const email = (value: string): Email => value as Email;

/** The variable orderId of keys. */
export type OrderId = string & { readonly __name: "OrderId" };
export const orderId = (value: string): OrderId => value as OrderId;

/** The variable status of keys. */
export type Status = string & { readonly __name: "Status" };
export const status = (value: string): Status => value as Status;

/** The variable createdAt of keys. */
export type CreatedAt = string & { readonly __name: "CreatedAt" };
export const createdAt = (value: string): CreatedAt => value as CreatedAt;

/** The variable deliveredAt of keys. */
export type DeliveredAt = string & { readonly __name: "DeliveredAt" };
export const deliveredAt = (value: string): DeliveredAt => value as DeliveredAt;

/** The variable timestamp of keys. */
export type Timestamp = string & { readonly __name: "Timestamp" };
export const timestamp = (value: string): Timestamp => value as Timestamp;

/** A key of MyAppTable. */
export interface MyAppTableKey {
  readonly "PK": string;
  readonly "SK": string;
}

/** A key of GSI1. */
export interface GSI1Key {
  readonly "GSI1PK": string;
  readonly "GSI1SK": string;
}

/** A key of GSI2. */
export interface GSI2Key {
  readonly "GSI2PK": string;
  readonly "GSI2SK": string;
}

/** A key of GSI3. */
export interface GSI3Key {
  readonly "GSI3PK": string;
  readonly "GSI3SK": string;
}

/** The key of User in MyAppTable: USER#<userId> / PROFILE. */
export const userKey = (userId: UserId): MyAppTableKey => ({
  "PK": `USER#${userId}`,
  "SK": "PROFILE",
});

/** The key of User in GSI1: EMAIL#<email> / USER#<userId>. */
export const userGSI1Key = (email: Email, userId: UserId): GSI1Key => ({
  "GSI1PK": `EMAIL#${email}`,
  "GSI1SK": `USER#${userId}`,
});

/** What the sort key of User begins with in GSI1, for begins_with. */
export const userGSI1SortPrefix = "USER#";

/** The key of Order in MyAppTable: ORDER#<orderId> / DETAIL. */
export const orderKey = (orderId: OrderId): MyAppTableKey => ({
  "PK": `ORDER#${orderId}`,
  "SK": "DETAIL",
});

/** The key of Order in GSI2: STATUS#<status> / <createdAt>. */
export const orderGSI2Key = (status: Status, createdAt: CreatedAt): GSI2Key => ({
  "GSI2PK": `STATUS#${status}`,
  "GSI2SK": createdAt,
});

/** The key of Order in GSI3: DELIVERED_ORDERS / <deliveredAt>. */
export const orderGSI3Key = (deliveredAt: DeliveredAt): GSI3Key => ({
  "GSI3PK": "DELIVERED_ORDERS",
  "GSI3SK": deliveredAt,
});

/** The key of UserOrder in MyAppTable: USER#<userId> / ORDER#<timestamp>. */
export const userOrderKey = (userId: UserId, timestamp: Timestamp): MyAppTableKey => ({
  "PK": `USER#${userId}`,
  "SK": `ORDER#${timestamp}`,
});

/** What the sort key of UserOrder begins with in MyAppTable, for begins_with. */
export const userOrderSortPrefix = "ORDER#";
