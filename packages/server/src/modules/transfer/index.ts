import { looksAt, type Module, WHOLE_ACCOUNT } from '../../kernel/index.ts';
import { importEntries } from './entries.ts';
import { exportAccount } from './export.ts';
import { migrations } from './migrations.ts';
import { receiveHandlers } from './receive.ts';
import { finishImport } from './restore.ts';
import { tables } from './tables.ts';

export { exportLines } from './export.ts';

/** Exports and imports whole accounts, and imports entries from other systems. */
export const transfer: Module = {
  name: 'transfer',
  migrations,
  tables,
  handlers: {
    'transfer.export': looksAt(() => WHOLE_ACCOUNT, exportAccount),
    ...receiveHandlers,
    'transfer.finish': finishImport,
    'entries.import': importEntries,
  },
};
