import { Fault } from '@mem-service/contract';
import { type Module, reads } from '../../kernel/index.ts';

export const system: Module = {
  name: 'system',
  migrations: [],
  handlers: {
    'health.read': reads(async ({ services }, { ready }) => {
      if (ready && !(await services.database.isWritable()))
        throw new Fault('unavailable', 'the database takes no writes: it is a standby, or read-only', {
          writable: false,
        });
      return {
        status: 'ok',
        version: services.version,
        schema: services.schema,
        backend: services.database.dialect.engine,
        ...(ready ? { writable: true } : {}),
      };
    }),
  },
};
