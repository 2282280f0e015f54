// Entities written before a kill are there after the restart.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createShop, customers, orders, shop } from './shop.js'

const half = process.env.DYNO_RESTART

test(`the half ${half}`, async () => {
  assert.ok(half === 'before' || half === 'after', 'DYNO_RESTART says which half this is')
  if (half === 'before') {
    await createShop()
    await customers.create({ customer: 'ann', email: 'a@example.com' }).go()
    const all = Array.from({ length: 40 }, (_, number) => ({
      customer: 'ann',
      order: `o${String(number).padStart(2, '0')}`,
      placed: '2026-06-01',
      status: number % 4 ? 'open' : 'sent',
      total: number,
    }))
    await orders.put(all).go()
  }
  const { data } = await shop.collections.account({ customer: 'ann' }).go({ pages: 'all' })
  assert.equal(data.customer.length, 1)
  assert.deepEqual(data.order.map((each) => each.total), [...Array(40).keys()])
  const sent = await orders.query.byStatus({ status: 'sent' }).go()
  assert.deepEqual(sent.data.map((each) => each.total), [0, 4, 8, 12, 16, 20, 24, 28, 32, 36])
})
