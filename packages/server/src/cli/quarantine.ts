import { Fault, type Output } from '@mem-service/contract';
import type { ServiceConnection } from './connect.ts';
import type { CommandInput } from './input.ts';

const NOTHING_FOUND = 'nothing was found: mem agents names who wrote, mem entities where there are entries';

/** The service answers that nothing was found, and records a quarantine of nothing; for people it is a typing error. */
export function refuseNothing(text: string, input: CommandInput): void {
  const { entries_found } = JSON.parse(text) as Output<'quarantine.trace'>;
  if (entries_found === 0 && input.cursor === undefined) throw new Fault('not_found', NOTHING_FOUND);
}

/** Before a quarantine. */
export async function refuseEmpty(connection: ServiceConnection, input: CommandInput): Promise<void> {
  const { only: _, reason: __, agent_id: ___, session_id: ____, ...target } = input;
  refuseNothing(await connection.call('quarantine.trace', { ...target, limit: 1 }), {});
}
