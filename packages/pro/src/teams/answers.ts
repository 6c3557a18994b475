import { bytesOfTexts, toIso, toIsoOrNull } from '@mem-service/server/module';
import type { MemberRow, TeamRow } from './queries.ts';

export const toTeam = ({ team_id, name, slug, description, member_count, created_at, updated_at }: TeamRow) => ({
  team_id,
  name,
  slug,
  description,
  member_count,
  created_at: toIso(created_at),
  updated_at: toIso(updated_at),
});

export const toMember = ({ account_id: _, created_at, updated_at, removed_at, ...row }: MemberRow) => ({
  ...row,
  created_at: toIso(created_at),
  updated_at: toIso(updated_at),
  removed_at: toIsoOrNull(removed_at),
});

/** What they take of the storage of the account. */
export const bytesOfTeam = ({ name, slug, description }: TeamRow): number => bytesOfTexts([name, slug, description]);
export const bytesOfMember = ({ email, display_name }: MemberRow): number => bytesOfTexts([email, display_name]);
