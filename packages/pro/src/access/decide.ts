import {
  type BranchPermission,
  type Caller,
  Fault,
  findKeyHolder,
  type HookContext,
  listKeyIdsOfMember,
  MAIN_BRANCH,
  type Query,
  type WorkingKey,
} from '@mem-service/server/module';
import { getBranch, listCreatedBy } from '../branches/index.ts';
import { getMember } from '../teams/index.ts';
import { type Grantee, listGranted, listPermissions } from './queries.ts';

/** What a caller may do on a branch: `manage` is to grant access besides reading and writing. */
export type AccessLevel = 'none' | BranchPermission | 'manage';

const RANKS: Readonly<Record<AccessLevel, number>> = { none: 0, read: 1, read_write: 2, manage: 3 };

export const suffices = (level: AccessLevel, needed: AccessLevel): boolean => RANKS[level] >= RANKS[needed];

/** Callers without a key of an account, and admins, need no look-up. */
export const mayAll = ({ key }: Pick<Caller, 'key'>): boolean => key === undefined || key.type === 'admin';

const HOLDER = 'key/';

/** Looks up what a key may do on a branch: as its creator, or by the strongest of its grants. */
export async function decideAccess(
  query: Query,
  { account_id, key, holder = '' }: Caller,
  branch: string,
): Promise<AccessLevel> {
  const member = key?.member && (await getMember(query, account_id, key.member.member_id));
  return levelOf(query, { account_id, holder, member }, branch);
}

type KeyUser = { account_id: string; holder: string; member: (Person & { member_id: string }) | undefined };

async function levelOf(query: Query, { account_id, holder, member }: KeyUser, branch: string): Promise<AccessLevel> {
  const row = await getBranch(query, account_id, branch);
  const creator = row?.holder ?? null;
  if (creator !== null && (creator === holder || (await isKeyOfMember(query, { account_id, creator, member }))))
    return 'manage';
  const granted = await listPermissions(query, { account_id, branch }, granteeOf(holder, member));
  if (granted.length === 0) return 'none';
  return granted.some(({ permission }) => permission === 'read_write') ? 'read_write' : 'read';
}

type Person = { email: string; team_id: string };

const granteeOf = (holder: string, member: Person | undefined): Grantee => ({
  holder: holder.slice(HOLDER.length),
  email: member?.email ?? null,
  team_id: member?.team_id ?? null,
});

/** The branches besides `main` that a key may read: those that it created, and those of its grants. */
export async function listReadableBranches({ caller, read, services }: HookContext): Promise<ReadonlySet<string>> {
  const { account_id, key, holder = '' } = caller;
  const member = key?.member && (await getMember(read, account_id, key.member.member_id));
  const own = member ? await listKeyIdsOfMember(read, account_id, member.member_id) : [];
  const holders = services.database.dialect.texts([holder, ...own.map(({ key_id }) => `${HOLDER}${key_id}`)]);
  const [created, granted] = await Promise.all([
    listCreatedBy(read, account_id, holders),
    listGranted(read, account_id, granteeOf(holder, member)),
  ]);
  return new Set([...created.map(({ name }) => name), ...granted.map(({ branch }) => branch)]);
}

type CreatedBy = { account_id: string; creator: string; member: { member_id: string } | undefined };

async function isKeyOfMember(query: Query, { account_id, creator, member }: CreatedBy): Promise<boolean> {
  if (!member || !creator.startsWith(HOLDER)) return false;
  const key = await findKeyHolder(query, account_id, creator.slice(HOLDER.length));
  return key?.member_id === member.member_id;
}

type Decider = Omit<KeyUser, 'holder'> & { keys: readonly WorkingKey[] };

/** Whether a member, or who has one of these keys, may still use a branch so. */
export async function mayStill(
  query: Query,
  { account_id, member, keys }: Decider,
  { branch, permission }: { branch: string; permission: BranchPermission },
): Promise<boolean> {
  if (branch === MAIN_BRANCH || keys.some(({ isAdmin }) => isAdmin)) return true;
  for (const holder of keys.length > 0 ? keys.map((one) => `${HOLDER}${one.holder}`) : [HOLDER])
    if (suffices(await levelOf(query, { account_id, holder, member }, branch), permission)) return true;
  return false;
}

const NEEDS: Readonly<Record<BranchPermission | 'manage', string>> = {
  read: 'to read',
  read_write: 'to write to',
  manage: 'to grant access to',
};

export const accessDenied = (branch: string, permission: BranchPermission | 'manage'): Fault =>
  new Fault('branch_access_denied', `this key has no grant ${NEEDS[permission]} the branch ${JSON.stringify(branch)}`, {
    branch,
    permission,
  });
