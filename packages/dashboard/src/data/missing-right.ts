import { missingRights as texts } from '../texts/missing-rights.ts';
import { isMemError } from './client.ts';

/** What a key would need for what was refused, and whom to ask; undefined where the refusal is about something else. */
export function missingRightOf(error: unknown): string | undefined {
  if (isMemError(error, 'branch_access_denied')) {
    const { branch, permission } = error.details;
    return texts.branch(branch, permission === 'read');
  }
  if (!isMemError(error, 'forbidden')) return undefined;
  const { needs, permission, entityPath, agentId } = error.details;
  if (needs !== undefined) return texts.needs[needs];
  if (permission !== undefined) return texts.scope(permission === 'READ', entityPath);
  return agentId === undefined ? undefined : texts.agent(agentId);
}
