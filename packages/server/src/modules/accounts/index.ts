import type { Module } from '../../kernel/index.ts';
import { purge } from './end.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';

export const accounts: Module = {
  name: 'accounts',
  migrations,
  handlers,
  jobs: [
    { name: 'accounts: purge', run: purge },
    { name: 'accounts: purge at once', after: 'account_deleted', run: purge },
  ],
};
