import {
  addStored,
  bytesOfTexts,
  type Caller,
  changed,
  cursorsOf,
  cutPage,
  EVERYONE,
  Fault,
  type Handlers,
  hashedBy,
  MAIN_BRANCH,
  pageBytes,
  reads,
  sessionName,
  storeMore,
  toIso,
  type Work,
  type WriteResult,
  withinPage,
  writes,
} from '@mem-service/server/module';
import { getBranch, noBranch } from '../branches/index.ts';
import { accessDenied, decideAccess, mayAll, suffices } from './decide.ts';
import { findGrantee, noGrantee } from './grantee.ts';
import * as queries from './queries.ts';

const MAX_OF_BRANCH = 1000;
const MAX_OF_ACCOUNT = 10_000;

const toGrant = ({ account_id: _, granted_at, ...row }: queries.GrantRow) => ({
  ...row,
  granted_at: toIso(granted_at),
});

const grant = writes<'access.grant'>(async (work, { input, caller }) => {
  const { account_id, now, tx } = work;
  const { name: branch, grantee_type, permission } = input;
  await requireManager(work, caller, branch);
  const grantee = await findGrantee(work, input);
  if (!grantee) throw noGrantee(input);
  const { grantee_id } = grantee;
  const known = await queries.getGrant(tx, { account_id, branch, grantee_type, grantee_id });
  const granted = { permission, granted_by: caller.actor, granted_at: now };
  const row: queries.GrantRow = { account_id, branch, grantee_type, grantee_id, ...granted };
  if (known) await queries.updateGrant(tx, row);
  else await addGrant(work, row);
  emitAccess(work, caller, { event_type: 'access_granted', row, grantee_id: grantee.logged_as });
  return answered(row, grantee.logged_as);
});

/** The audit trail names no address. */
function answered(row: queries.GrantRow, loggedAs: string): WriteResult<ReturnType<typeof toGrant>> {
  const answer = toGrant(row);
  return changed(answer, { resource: `${row.branch}/access/${row.grantee_type}/${loggedAs}`, ...hashedBy(answer) });
}

async function addGrant(work: Work, row: queries.GrantRow): Promise<void> {
  const { tx, account_id } = work;
  const { branch } = row;
  if (await queries.hasGrants(tx, { account_id, branch }, MAX_OF_BRANCH))
    throw new Fault('conflict', `the branch has ${MAX_OF_BRANCH} grants, and can have no more`, {
      max_grants: MAX_OF_BRANCH,
    });
  if (await queries.hasGrants(tx, { account_id }, MAX_OF_ACCOUNT))
    throw new Fault('conflict', `the account has ${MAX_OF_ACCOUNT} grants, and can have no more`, {
      max_grants: MAX_OF_ACCOUNT,
    });
  storeMore(work, bytesOf(row));
  work.send(tx.insertMany(queries.insertGrant, [row]));
}

const bytesOf = ({ branch, grantee_id }: queries.GrantRow): number => bytesOfTexts([branch, grantee_id]);

/** Only the creator of a branch and admins may grant. Everybody may use `main`. */
async function requireManager({ tx, account_id }: Work, caller: Caller, branch: string): Promise<void> {
  if (branch === MAIN_BRANCH)
    throw new Fault('conflict', 'every key may use main: its scopes say what it may do there', { branch });
  if (!(await getBranch(tx, account_id, branch))) throw noBranch(branch);
  if (!mayAll(caller) && !suffices(await decideAccess(tx, caller, branch), 'manage'))
    throw accessDenied(branch, 'manage');
}

type AccessEvent = { event_type: 'access_granted' | 'access_revoked'; row: queries.GrantRow; grantee_id: string };

function emitAccess(work: Work, caller: Caller, { event_type, row, grantee_id }: AccessEvent): void {
  const { branch, grantee_type, permission } = row;
  work.emit({
    event_type,
    agent_id: caller.agent_id,
    branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to: EVERYONE,
    details: { branch, grantee_type, grantee_id, permission },
    session: sessionName(caller.session_id, caller),
  });
}

const revoke = writes<'access.revoke'>(async (work, { input, caller }) => {
  const { account_id, tx } = work;
  const { name: branch, grantee_type } = input;
  await requireManager(work, caller, branch);
  // A grant may outlive its grantee.
  const grantee = await findGrantee(work, input);
  const grantee_id = grantee?.grantee_id ?? input.grantee_id.trim().toLowerCase();
  const row = await queries.getGrant(tx, { account_id, branch, grantee_type, grantee_id });
  if (!row)
    throw new Fault('not_found', `there is no grant of ${JSON.stringify(branch)} to ${grantee_type} ${grantee_id}`, {
      ...{ branch, grantee_type, grantee_id },
    });
  await queries.deleteGrant(tx, row);
  addStored(work, { storage_bytes: -bytesOf(row) });
  const logged_as = grantee?.logged_as ?? (grantee_type === 'user' ? '' : grantee_id);
  emitAccess(work, caller, { event_type: 'access_revoked', row, grantee_id: logged_as });
  return answered(row, logged_as);
});

const cursors = cursorsOf('branch_grants', ['string', 'string']);

const list = reads<'access.list'>(async ({ read, caller, services }, { name: branch, limit, cursor }) => {
  const { account_id } = caller;
  if (branch !== MAIN_BRANCH && !(await getBranch(read, account_id, branch))) throw noBranch(branch);
  const after = cursor === undefined ? (['', ''] as const) : cursors.from(cursor);
  const bytes = pageBytes(services);
  const rows = await queries.listGrants(read, { account_id, branch, after, limit: limit + 1, bytes });
  const found = withinPage(services, rows, (row) => [row.branch, row.grantee_id, row.granted_by]);
  const { items, ...page } = cutPage(found, limit, (row) => cursors.to([row.grantee_type, row.grantee_id]));
  return { grants: items.map(toGrant), ...page };
});

export const handlers: Handlers = { 'access.grant': grant, 'access.list': list, 'access.revoke': revoke };
