import { openApp } from '../../packages/server/src/app.ts';
import { SELF_CALLER } from '../../packages/server/src/kernel/index.ts';

export const caller = { ...SELF_CALLER, actor: 'bench', agent_id: 'agent/bench', request_id: 'bench' };

/** The service without its transport. */
export const open = (options) =>
  openApp({
    ...options,
    sweepSeconds: 86_400,
    onError: (error) => {
      throw error;
    },
  });
