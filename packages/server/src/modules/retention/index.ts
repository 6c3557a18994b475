import type { Input, Output } from '@mem-service/contract';
import {
  ADMINS,
  changed,
  exported,
  type Handlers,
  hashedBy,
  kindIn,
  looksAt,
  type Module,
  reads,
  type TenantTable,
  toIsoOrNull,
  unchanged,
  WHOLE_ACCOUNT,
  writes,
} from '../../kernel/index.ts';
import { enforceRetention } from './enforce.ts';
import { migrations } from './migrations.ts';
import * as queries from './queries.ts';

const read = reads<'retention.read'>(async ({ read, caller }) =>
  toRetention(await queries.listRetention(read, caller.account_id)),
);

const set = writes<'retention.set'>(async (work, { input, caller }) => {
  const { account_id, tx, now } = work;
  const before = toRetention(await queries.listRetention(tx, account_id));
  const rows = queries.kinds.flatMap((kind) => {
    const days = daysOf(input, kind);
    return days === undefined ? [] : [{ account_id, kind, days, updated_at: now, done_seq: 0 }];
  });
  if (rows.every(({ kind, days }) => before[`${kind}_days`] === days)) return unchanged(before);
  await tx.insertMany(queries.setRetention, rows);
  const after = toRetention(await queries.listRetention(tx, account_id));
  const place = { branch: 'main', entity_path: null, key: null, version: null };
  const { traces_days, payloads_days } = after;
  const details = { traces_days, payloads_days };
  work.emit({ event_type: 'retention_set', ...place, details, agent_id: caller.agent_id, visible_to: ADMINS });
  return changed(after, { resource: WHOLE_ACCOUNT, ...hashedBy(after) });
});

const daysOf = (input: Input<'retention.set'>, kind: queries.RetentionKind): number | null | undefined =>
  input[`${kind}_days`];

function toRetention(rows: readonly queries.RetentionRow[]): Output<'retention.read'> {
  const days = (kind: queries.RetentionKind) => rows.find((row) => row.kind === kind)?.days ?? null;
  const last = rows.length === 0 ? null : Math.max(...rows.map(({ updated_at }) => updated_at));
  return { traces_days: days('traces'), payloads_days: days('payloads'), updated_at: toIsoOrNull(last) };
}

const handlers: Handlers = { 'retention.read': looksAt(() => WHOLE_ACCOUNT, read), 'retention.set': set };

const tables: readonly TenantTable[] = [
  exported(queries.setRetention, {
    kind: 'retention',
    key: ['kind'],
    nullable: ['days'],
    check: kindIn(queries.kinds),
    rights: { maintenance: ['SELECT'] },
  }),
];

/** How long an account keeps its data. */
export const retention: Module = {
  name: 'retention',
  migrations,
  tables,
  handlers,
  maintenance: [{ name: 'retention.enforce', run: enforceRetention }],
  consumers: [
    {
      name: 'retention.enforce_new',
      event_types: ['retention_set'],
      starts_at: 'now',
      handle: ({ kernel, isStopping }) => enforceRetention(kernel, isStopping),
    },
  ],
};
