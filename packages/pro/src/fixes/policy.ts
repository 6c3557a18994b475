import {
  ADMINS,
  changed,
  Fault,
  type Handlers,
  hashedBy,
  MAIN_BRANCH,
  type Output,
  type Query,
  reads,
  toIsoOrNull,
  unchanged,
  WHOLE_ACCOUNT,
  writes,
} from '@mem-service/server/module';
import { authorOf } from '../judges/index.ts';
import { type FixSettingRow, listSettings, putSettings } from './setting-queries.ts';

type PolicyOfFixes = Output<'fixes.read_policy'>;
type ChosenPolicy = Pick<PolicyOfFixes, 'policy' | 'set_id'>;

/** Where the account has said nothing. */
const USUAL: ChosenPolicy = { policy: 'review', set_id: 'regression' };

export async function readPolicy(query: Query, accountId: string): Promise<PolicyOfFixes> {
  const settings = await listSettings(query, accountId);
  const [newest] = settings.toSorted((one, other) => other.updated_at - one.updated_at);
  const set = Object.fromEntries(settings.map(({ name, value }) => [name, value]));
  return {
    ...{ ...USUAL, ...(set as Partial<ChosenPolicy>) },
    agent_id: newest?.agent_id ?? null,
    updated_at: toIsoOrNull(newest?.updated_at ?? null),
  };
}

/** The policy of a new fix: what it asks for, but no less than the account does. */
export async function policyFor(
  query: Query,
  accountId: string,
  asked: { policy?: ChosenPolicy['policy'] | undefined; set_id?: string | undefined },
): Promise<ChosenPolicy> {
  const { policy, set_id } = await readPolicy(query, accountId);
  if (policy === 'after_replay') {
    if (asked.policy === 'review')
      throw new Fault('conflict', 'the policy of the account is after_replay: a fix cannot ask for less', { policy });
    // Another set could be one that tries nothing.
    if ((asked.set_id ?? set_id) !== set_id)
      throw new Fault(
        'conflict',
        `the policy of the account is to replay the set ${set_id}: a fix cannot ask for another`,
        {
          policy,
          set_id,
        },
      );
  }
  return { policy: asked.policy ?? policy, set_id: asked.set_id ?? set_id };
}

const read = reads<'fixes.read_policy'>(({ read, caller }) => readPolicy(read, caller.account_id));

const set = writes<'fixes.set_policy'>(async (work, { input, caller }) => {
  const { account_id, tx, now } = work;
  await work.locked;
  const before = await readPolicy(tx, account_id);
  const { agent_id, session } = authorOf(input, caller);
  const rows = (['policy', 'set_id'] as const).flatMap((name): FixSettingRow[] => {
    const value = input[name];
    if (value === undefined || value === before[name]) return [];
    return [{ account_id, name, value, agent_id, updated_at: now }];
  });
  if (rows.length === 0) return unchanged(before);
  const { policy = before.policy, set_id = before.set_id } = input;
  work.emit({
    event_type: 'fix_policy_set',
    ...{ agent_id, session, branch: MAIN_BRANCH, entity_path: null, key: null, version: null, visible_to: ADMINS },
    details: { policy, set_id },
  });
  await tx.insertMany(putSettings, rows);
  const answer = await readPolicy(tx, account_id);
  const { after: hashed } = hashedBy(before);
  return changed(answer, { resource: WHOLE_ACCOUNT, before: hashed, after: hashedBy(answer).after });
});

export const policyHandlers: Handlers = { 'fixes.read_policy': read, 'fixes.set_policy': set };
