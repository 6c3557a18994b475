import { type Module, reads } from '../../kernel/index.ts';
import { pingDatabase } from './queries.ts';

export const system: Module = {
  name: 'system',
  migrations: [],
  handlers: {
    'health.read': reads(async ({ services, read }, { ready }) => {
      if (ready) await pingDatabase(read);
      return {
        status: 'ok',
        version: services.version,
        schema: services.schema,
        backend: services.database.dialect.engine,
      };
    }),
  },
};
