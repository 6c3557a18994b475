import type { Module } from '../../kernel/index.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { noteUses } from './uses.ts';

export { describeKey } from './describe.ts';
export { EVERYTHING, insertKey, keyRow, makeKey, tell } from './make.ts';
export { keySource } from './source.ts';

export const keys: Module = {
  name: 'keys',
  migrations,
  tables: [
    { table: 'api_keys', key: ['key_id'], left_out: 'keys open an account where they were made, and nowhere else' },
  ],
  handlers,
  timers: [{ name: 'keys.note_uses', run: noteUses }],
};
