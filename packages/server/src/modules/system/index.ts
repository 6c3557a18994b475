import { Fault } from '@mem-service/contract';
import { type Module, reads } from '../../kernel/index.ts';

export const system: Module = {
  name: 'system',
  migrations: [],
  handlers: {
    'health.read': reads(async ({ services }, { ready }) => {
      const { replica, database } = services;
      const writable = ready ? await database.isWritable() : undefined;
      if (writable === false && !replica)
        throw new Fault('unavailable', 'the database takes no writes: it is a standby, or read-only', { writable });
      return {
        status: 'ok',
        version: services.version,
        schema: services.schema,
        backend: database.dialect.engine,
        ...(writable === undefined ? {} : { writable }),
        ...(replica ? { read_only: true as const, unnoted: replica.missed } : {}),
      };
    }),
  },
};
