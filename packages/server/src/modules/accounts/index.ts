import type { Module } from '../../kernel/index.ts';
import { purge } from './end.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';

export const accounts: Module = {
  name: 'accounts',
  migrations,
  handlers,
  maintenance: [{ name: 'accounts.purge', run: purge }],
  consumers: [
    {
      name: 'accounts.purge_deleted',
      event_types: ['account_deleted'],
      starts_at: 'now',
      handle: ({ kernel, isStopping }) => purge(kernel, isStopping),
    },
  ],
};
