import type { Probe } from './data/installed.ts';
import { REVIEWS } from './pages/overview/questions.ts';

/** Whether the key administers the account. A service without keys has no other owner than who reaches it. */
export const ADMIN_KEY: Probe = {
  name: 'me.read',
  input: {},
  accepts: ({ key }) => key === null || key.key_type === 'admin',
};
/** Whether the key administers all of the account, asked with the one question of admins that leaves no line in the trail. */
export const WHOLE_ACCOUNT: Probe = { name: 'transfer.status', input: {} };
/** Whether the modules of teams are installed, by another of their package. */
export const TEAMS: readonly Probe[] = [WHOLE_ACCOUNT, { name: 'pull_requests.list', input: REVIEWS }];

/** Whether patterns can be, by another module of their package: each look at them is a line in the trail. */
export const PATTERNS: readonly Probe[] = [WHOLE_ACCOUNT, { name: 'judges.list', input: { limit: 1 } }];

/** Whether segments can be asked for, of a time with no runs: the answer costs nothing. */
export const SEGMENTS: Probe = { name: 'dimensions.list', input: { since: '2999-01-01' } };
