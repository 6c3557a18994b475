import type { Module } from '../../kernel/index.ts';
import { erasesAgent, erasesEntries } from './letter-storage.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { receive } from './receive.ts';
import { replay } from './replay.ts';
import { retryLetters } from './retry.ts';
import { sendHandlers } from './send.ts';
import { dropDeliveries } from './sweep.ts';
import { tables } from './tables.ts';

export { checkConfigured, connectorOf, connectorsOf, useConnectors } from './connectors.ts';

/** What happens outside: events, and webhooks with their connectors. */
export const ingestion: Module = {
  name: 'ingestion',
  migrations,
  tables,
  erasesEntries,
  erasesAgent,
  handlers: { ...sendHandlers, ...readHandlers, 'webhooks.receive': receive, 'dead_letters.replay': replay },
  maintenance: [dropDeliveries, retryLetters],
};
