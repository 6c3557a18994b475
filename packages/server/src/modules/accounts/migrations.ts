import type { Migration } from '../../db/index.ts';
import { countDeclared, countLetters, countStored } from './migrations/stored-amounts.ts';

export const migrations: readonly Migration[] = [
  {
    version: 1,
    legacy: 19,
    name: 'accounts that are managed',
    up: ({ text }) => [
      `ALTER TABLE accounts ADD COLUMN name ${text} NOT NULL DEFAULT ''`,
      `ALTER TABLE accounts ADD COLUMN plan ${text}`,
      `ALTER TABLE accounts ADD COLUMN status ${text} NOT NULL DEFAULT 'active'`,
    ],
  },
  {
    version: 2,
    name: 'what accounts store, and corrections of the clock',
    up: countStored,
  },
  { version: 3, name: 'profiles and edges count as storage', up: countDeclared },
  { version: 4, name: 'dead letters count as storage', up: countLetters },
];
