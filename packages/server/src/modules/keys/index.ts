import type { KeyUse, Module } from '../../kernel/index.ts';
import { erasesAgent } from './erase.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { dropSecrets } from './signing.ts';
import { saveKeyUses, storeUses } from './uses.ts';

export { describeKey } from './describe.ts';
export { findKeyHolder, findWorkingKeys, type WorkingKey } from './holder.ts';
export { EVERYTHING, emitKeyEvent, insertKey, keyRow, makeKey } from './make.ts';
export { changeMemberKeys } from './members.ts';
export { countKeys, deleteKeys, listKeyIdsOfMember } from './queries.ts';
export { keySource } from './source.ts';

export const keys: Module = {
  name: 'keys',
  migrations,
  tables: [
    {
      table: 'api_keys',
      key: ['key_id'],
      left_out: 'keys are valid only in the service that created them',
      agents: { created_by: { kept: 'a key or a user, never an agent' }, agent_ids: { erased: 'by its owner' } },
      entries: { entity_paths: { kept: 'globs of the key, whether entries exist there or not' } },
      unrelated: {
        key_id: 'an API key',
        key_hash: 'what an API key is found by',
        member_id: 'a person, never an agent',
        member_role: 'what a person may do',
        key_type: 'what an API key may do',
      },
      // To find the account of a presented key, to store when it was last used, and to remove secrets that have ended.
      rights: { maintenance: ['SELECT', 'UPDATE (last_used_at, secret, secret_before, secret_before_ends_at)'] },
    },
  ],
  handlers,
  erasesAgent,
  takesOver: { key_uses: async ({ services }, uses: KeyUse[]) => storeUses(services.database, uses) },
  maintenance: [dropSecrets],
  timers: [{ name: 'keys.note_uses', run: saveKeyUses }],
};
