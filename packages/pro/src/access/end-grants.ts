import { addStored, type Work } from '@mem-service/server/module';
import { deleteGrantsOf, sumGrantsOf } from './queries.ts';

/** Removes what was granted to a team that is deleted. */
export async function endGrantsOfTeam(work: Work, team_id: string): Promise<void> {
  const grantee = { account_id: work.account_id, grantee_type: 'team', grantee_id: team_id } as const;
  addStored(work, { storage_bytes: -(await sumGrantsOf(work.tx, grantee)) });
  await deleteGrantsOf(work.tx, grantee);
}
