import type { OperationName } from '@mem-service/contract';
import { createIdentity } from './identity.ts';
import { type OpenService, openService } from './service.ts';
import type { JsonObject } from './session.ts';
import { type McpEnvironment, readSettings } from './settings.ts';

/** The memory that an MCP client on this machine uses, under that client's agent name. */
export type Memory = Pick<OpenService, 'mode' | 'place' | 'close'> & {
  agent_id: string;
  call(name: OperationName, input: JsonObject): Promise<string>;
};

/** For programs that accompany the client, such as its hooks. They are not part of its session. */
export function openMemory(env: McpEnvironment, client: string | undefined): Memory {
  const settings = readSettings(env);
  const identity = createIdentity(settings);
  identity.meet(client);
  const { agent_id } = identity.caller();
  const { mode, place, call, close } = openService(settings);
  return { mode, place, close, agent_id, call: (name, input) => call(name, input, { agent_id, session_id: null }) };
}
