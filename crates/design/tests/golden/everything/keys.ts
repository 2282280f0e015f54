// Written by dyno design generate from everything.yaml: change that file instead.
// Keys of すべて "all".

/** The variable the id of keys. */
export type TheId = string & { readonly __name: "TheId" };
export const theId = (value: string): TheId => value as TheId;

/** The variable seq of keys. */
export type Seq = number & { readonly __name: "Seq" };
export const seq = (value: number): Seq => value as Seq;

/** The variable date of keys. */
export type Date = string & { readonly __name: "Date" };
export const date = (value: string): Date => value as Date;

/** The variable type of keys. */
export type Type = string & { readonly __name: "Type" };
export const type = (value: string): Type => value as Type;

/** The variable 注文番号 of keys. */
export type 注文番号 = string & { readonly __name: "注文番号" };
export const 注文番号 = (value: string): 注文番号 => value as 注文番号;

/** The variable tenant of keys. */
export type Tenant = string & { readonly __name: "Tenant" };
export const tenant = (value: string): Tenant => value as Tenant;

/** The variable region of keys. */
export type Region = string & { readonly __name: "Region" };
export const region = (value: string): Region => value as Region;

/** The variable level of keys. */
export type Level = number & { readonly __name: "Level" };
export const level = (value: number): Level => value as Level;

/** The variable note of keys. */
export type Note = string & { readonly __name: "Note" };
export const note = (value: string): Note => value as Note;

/** A key of App.Table-1. */
export interface AppTable1Key {
  readonly "PK": string;
  readonly "seq": number;
}

/** A key of byDate. */
export interface ByDateKey {
  readonly "PK": string;
  readonly "date": string;
}

/** A key of GSI.1. */
export interface GSI1Key {
  readonly "type": string;
  readonly "n": number;
}

/** A key of byTenant. */
export interface ByTenantKey {
  readonly "tenant": string;
  readonly "region": string;
  readonly "level": number;
  readonly "note": string;
}

/** The key of thing in {braces} in App.Table-1: T#{<the id>} / <seq>. */
export const thingInBracesKey = (theId: TheId, seq: Seq): AppTable1Key => ({
  "PK": `T#{${theId}}`,
  "seq": seq,
});

/** The key of thing in {braces} in byDate: T#{<the id>} / <date>. */
export const thingInBracesByDateKey = (theId: TheId, date: Date): ByDateKey => ({
  "PK": `T#{${theId}}`,
  "date": date,
});

/** The key of thing in {braces} in GSI.1: $<type> / 5. */
export const thingInBracesGSI1Key = (type: Type): GSI1Key => ({
  "type": `\$${type}`,
  "n": 5,
});

/** The key of 注文 in App.Table-1: 注文#<注文番号> / <seq>. */
export const 注文Key = (注文番号: 注文番号, seq: Seq): AppTable1Key => ({
  "PK": `注文#${注文番号}`,
  "seq": seq,
});

/** The key of say """no""" \\ or * / in App.Table-1: S#<tenant> / <seq>. */
export const sayNoOrKey = (tenant: Tenant, seq: Seq): AppTable1Key => ({
  "PK": `S#${tenant}`,
  "seq": seq,
});

/** The key of say """no""" \\ or * / in byTenant: <tenant> / <region> / <level> / <note>. */
export const sayNoOrByTenantKey = (tenant: Tenant, region: Region, level: Level, note: Note): ByTenantKey => ({
  "tenant": tenant,
  "region": region,
  "level": level,
  "note": note,
});
