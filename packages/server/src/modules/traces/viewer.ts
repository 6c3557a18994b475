import { type ReadContext, readReach } from '../../kernel/index.ts';
import type { Viewer } from './queries.ts';

export const viewerOf = ({ caller }: ReadContext): Viewer => ({
  account_id: caller.account_id,
  agent_id: caller.agent_id,
  reach: readReach(caller),
});
