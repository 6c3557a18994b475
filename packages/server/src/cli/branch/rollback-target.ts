import { UsageError } from '../failure.ts';

/** The state to go back to, as `rollback.run` takes it. */
export type RollbackTarget = { tag?: string; at?: string; seq?: string; event?: string; branch?: string };

const TIME = /^\d{4}-\d\d-\d\d([T ].*)?$/;
/** As the log numbers its events: the `seq`, and what makes it unique. */
const POSITION = /^\d+-[0-9a-z]+$/;

/** `tags/<name>` or its name, a time, a `seq`, the position of an event, or the last two of a branch. */
export function rollbackTarget(text: string): RollbackTarget {
  const [, branch, place] = /^(.+)@([^@]+)$/.exec(text) ?? [];
  if (branch !== undefined && place !== undefined) {
    const target = rollbackTarget(place);
    if (target.tag !== undefined)
      throw new UsageError(`${JSON.stringify(text)}: after @ comes a place in the log or a time`);
    return { ...target, branch };
  }
  if (/^\d+$/.test(text)) return { seq: text };
  if (POSITION.test(text)) return { event: text };
  if (TIME.test(text))
    return { at: text.includes('T') || text.includes(' ') ? text.replace(' ', 'T') : `${text}T00:00:00Z` };
  return { tag: text.replace(/^tags\//, '') };
}
