import { Fault, findKeyHolder, type Work } from '@mem-service/server/module';
import { findPerson, findTeam } from '../teams/index.ts';
import type { GranteeType } from './queries.ts';

export type NamedGrantee = { grantee_type: GranteeType; grantee_id: string };

/** The one id that a grant has for its grantee, and the id that the log names it by, which is never an address. */
export type KnownGrantee = { grantee_id: string; logged_as: string };

/** Finds who is named. A key and those that it replaced are one grantee, and a team has an id and a slug. */
export async function findGrantee(
  { tx, account_id }: Pick<Work, 'tx' | 'account_id'>,
  { grantee_type, grantee_id }: NamedGrantee,
): Promise<KnownGrantee | undefined> {
  if (grantee_type === 'api_key') {
    const key = await findKeyHolder(tx, account_id, grantee_id);
    return key && { grantee_id: key.holder, logged_as: key.holder };
  }
  if (grantee_type === 'team') {
    const team = await findTeam(tx, account_id, grantee_id);
    return team && { grantee_id: team.team_id, logged_as: team.team_id };
  }
  const person = await findPerson(tx, account_id, grantee_id.trim().toLowerCase());
  return person && { grantee_id: person.email, logged_as: person.member_id };
}

const WHAT: Readonly<Record<GranteeType, string>> = {
  user: 'member of a team with the address',
  team: 'team',
  api_key: 'key',
};

export const noGrantee = ({ grantee_type, grantee_id }: NamedGrantee): Fault =>
  new Fault('not_found', `there is no ${WHAT[grantee_type]} ${grantee_id}`, { grantee_type, grantee_id });
