import {
  type Caller,
  Fault,
  fromIso,
  type Input,
  invalidInput,
  isEventAt,
  parsePosition,
  readPosition,
  seqAt,
  type Work,
} from '@mem-service/server/module';
import { getTag } from '../tags/queries.ts';

type Target = Pick<Input<'rollback.run'>, 'tag' | 'at' | 'event' | 'seq'>;

/** The branch that is rolled back, and who does it. */
type RolledBack = { branch: string; caller: Caller };

const KINDS = ['tag', 'at', 'event', 'seq'] as const;

/** The place in the log that a rollback goes back to. */
export async function findTarget(work: Work, target: Target, of: RolledBack): Promise<number> {
  const given = KINDS.filter((kind) => target[kind] !== undefined);
  if (given.length !== 1)
    throw invalidInput([{ path: given[1] ?? 'tag', message: 'give one of tag, at, event and seq' }]);
  const { tag, at, event, seq = 0 } = target;
  if (tag !== undefined) return seqOfTag(work, tag, of);
  if (at !== undefined) return (await seqAt(work.tx, work.account_id, fromIso(at) + 1)) - 1;
  if (event !== undefined) return seqOfEvent(work, event);
  const newest = work.account.seq;
  if (seq > newest) throw invalidInput([{ path: 'seq', message: `is beyond the newest place in the log, ${newest}` }]);
  return seq;
}

async function seqOfTag(
  { tx, account_id, services }: Work,
  name: string,
  { branch, caller }: RolledBack,
): Promise<number> {
  const tag = await getTag(tx, account_id, name);
  if (!tag) throw new Fault('not_found', `there is no tag ${JSON.stringify(name)}`, { tag: name });
  await services.branchAccess.requireUnnamed(caller, tag.branch, 'read');
  if (tag.branch !== branch) {
    const message = `is a state of the branch ${JSON.stringify(tag.branch)}, and ${JSON.stringify(branch)} never had it: merge or cherry-pick what tags/${name} has`;
    throw invalidInput([{ path: 'tag', message }]);
  }
  return tag.seq;
}

async function seqOfEvent({ tx, account_id }: Work, text: string): Promise<number> {
  const position = parsePosition(text);
  if (!position) throw invalidInput([{ path: 'event', message: 'is neither the position nor the seq of an event' }]);
  const found = await readPosition(tx, account_id, position.seq);
  if (!isEventAt(found, position)) throw new Fault('not_found', `there is no event ${text}`, { event: text });
  return position.seq;
}
