import { eventTypes } from '@mem-service/contract';
import { type Dialect, fragment, joinSql, type Sql, sql } from '../db/index.ts';
import { type EntryView, loggedIn } from './view.ts';
import type { LogEvent } from './work.ts';

/** What happens to a branch is reported on the branch that it was forked from or is merged into as well. */
const REPORTED: ReadonlySet<string> = new Set(
  eventTypes.filter((type) => /^(branch_(created|closed|reopened|merged)$|pull_request_)/.test(type)),
);
const isReported = fragment(`event_type IN (${[...REPORTED].map((type) => `'${type}'`).join(', ')})`);

type View = Pick<EntryView, 'lineage'>;

/** As JSON writes a member: within a text its quotes would be escaped. */
const member = (name: string, branch: string): string => `"${name}":${JSON.stringify(branch)}`;

/** `details` name the branch so; `strpos` and `instr` take it as it is. */
function names(branch: string, { engine }: Dialect): Sql {
  const position = fragment(engine === 'sqlite' ? 'instr' : 'strpos');
  const found = ['target', 'parent_branch'].map((name) => sql`${position}(details, ${member(name, branch)}) > 0`);
  return sql`(${joinSql(found, ' OR ')})`;
}

/**
 * The events of a branch, and those of other branches that are reported there, of branches that the caller may read; undefined
 * means all.
 */
export function loggedOrReported({ lineage }: View, readable: ReadonlySet<string> | undefined, dialect: Dialect): Sql {
  const own = loggedIn({ lineage });
  const spans = lineage.map(({ branch, up_to_seq }) => {
    const reported = names(branch, dialect);
    return up_to_seq === null ? reported : sql`(${reported} AND seq <= ${up_to_seq})`;
  });
  const among = readable ? sql` AND branch IN (SELECT value FROM ${dialect.texts([...readable])})` : sql``;
  return sql`(${own} OR (${isReported} AND (${joinSql(spans, ' OR ')})${among}))`;
}

/** Whether an event of another branch is reported on this one. */
export function isReportedOn({ lineage }: View, { event_type, details, seq }: LogEvent): boolean {
  if (!REPORTED.has(event_type)) return false;
  return lineage.some(
    ({ branch, up_to_seq }) =>
      (up_to_seq === null || seq <= up_to_seq) &&
      (details.includes(member('target', branch)) || details.includes(member('parent_branch', branch))),
  );
}
