import type { MaintenanceTask } from '../../kernel/index.ts';
import { deleteOldDeliveries } from './queries.ts';

const DAY_MS = 86_400_000;
/** Few enough that writes do not wait long. */
const ROWS = 1000;

/** Drops ids of deliveries that no sender will send again. */
export const dropDeliveries: MaintenanceTask = {
  name: 'ingestion.forget_deliveries',
  async run({ services: { database, clock, settings } }, isStopping) {
    const before = clock.now() - settings.delivery_days * DAY_MS;
    let deleted = ROWS;
    while (deleted === ROWS && !isStopping())
      deleted = await database.maintenanceTransaction((tx) => deleteOldDeliveries(tx, before, ROWS));
  },
};
