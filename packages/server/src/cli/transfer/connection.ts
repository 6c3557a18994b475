import { connect, type ServiceConnection } from '../connect.ts';
import type { OwnParts } from '../own/command.ts';
import { warn } from '../terminal.ts';

/** Runs with a connection to a server or to the store of this machine. */
export async function withConnection<T>(
  parts: OwnParts,
  run: (connection: ServiceConnection) => Promise<T>,
): Promise<T> {
  const config = parts.readConfig();
  for (const warning of config.warnings) warn(parts.terminal, warning);
  const connection = await connect(parts, config, { agent: undefined, session: undefined });
  try {
    return await run(connection);
  } finally {
    await connection.close();
  }
}
