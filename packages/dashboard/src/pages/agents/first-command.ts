import { serviceUrl } from '../../data/client.ts';
import { readKey } from '../../data/key-store.ts';

/** A write in the name of an agent, for a store that has none. */
export function firstCommand(): string {
  return [
    `curl -X POST '${serviceUrl()}api/v1/entries'`,
    ...(readKey() === '' ? [] : ['-H "X-MEM-API-Key: $MEM_API_KEY"']),
    "-H 'X-MEM-Agent-Id: deploy-bot'",
    "-H 'Content-Type: application/json'",
    `-d '{"entity_path":"checkout/payments","key":"retry-policy","value":{"max_attempts":3}}'`,
  ].join(' \\\n  ');
}
