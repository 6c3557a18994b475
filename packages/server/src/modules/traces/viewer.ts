import { type ReadContext, readScope, type Viewer } from '../../kernel/index.ts';

export const viewerOf = ({ caller }: Pick<ReadContext, 'caller'>): Viewer => ({
  account_id: caller.account_id,
  agent_id: caller.agent_id,
  scope: readScope(caller),
});
