import { type Input, invalidInput } from '@mem-service/contract';
import type { Work } from '../../kernel/index.ts';
import { connectorsOf } from '../ingestion/index.ts';
import type { KeyRow } from './queries.ts';

/** Where the sender delivers, with the key as the last part. Null for keys of other types. */
export const addressOf = ({ connector }: Pick<KeyRow, 'connector'>, key: string): string | null =>
  connector === null ? null : `/api/v1/webhooks/${connector}/${key}`;

/** Only what is sent to an address is signed. */
export function refuseSecret(
  { key_type }: Pick<KeyRow, 'key_type'>,
  { secret }: { secret?: string | undefined },
): void {
  if (secret !== undefined && key_type !== 'webhook')
    throw invalidInput([{ path: 'secret', message: 'is only for a key of the type webhook' }]);
}

/** Refuses a key of the type webhook that could deliver nothing, and a connector for any other key. */
export function refuseWebhook({ services }: Pick<Work, 'services'>, input: Input<'keys.create'>): void {
  const connectors = connectorsOf(services);
  const { key_type, connector, default_branch, scopes, agent_ids } = input;
  const refuse = (path: string, message: string) => {
    throw invalidInput([{ path, message }]);
  };
  refuseSecret(input, input);
  if (key_type !== 'webhook') {
    if (connector !== undefined) refuse('connector', 'is only for a key of the type webhook');
    return;
  }
  const known = [...connectors.keys()].sort().join(', ') || 'none';
  if (connector === undefined) refuse('connector', `is required for a key of the type webhook; there are ${known}`);
  else if (!connectors.has(connector)) refuse('connector', `is not a connector of this service; there are ${known}`);
  if (!scopes.some(({ permission }) => permission.includes('WRITE')))
    refuse('scopes', 'must give WRITE on something: a key of the type webhook does nothing but write');
  if (default_branch !== null)
    refuse('default_branch', 'must be null for a key of the type webhook: it writes to main');
  if (agent_ids.length > 0)
    refuse('agent_ids', `must be empty for a key of the type webhook: it writes as webhook/${connector}`);
}
