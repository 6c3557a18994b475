import type { OperationName } from '@mem-service/contract';
import { createIdentity } from './identity.ts';
import { type OpenService, openService } from './service.ts';
import type { JsonObject } from './session.ts';
import { type McpEnvironment, readSettings } from './settings.ts';

/** The memory that an MCP client on this machine uses, under that client's agent name. */
export type Memory = Pick<OpenService, 'location' | 'close'> & {
  agent_id: string;
  call(name: OperationName, input: JsonObject): Promise<string>;
};

/** The client, and the folder that it works in. */
export type MemoryUser = { client: string; folder: string };

/** For programs that accompany the client, such as its hooks. They are not part of its session. */
export function openMemory(env: McpEnvironment, { client, folder }: MemoryUser): Memory {
  const settings = readSettings(env, folder);
  const identity = createIdentity(settings);
  identity.meet(client);
  const { agent_id } = identity.caller();
  const { location, call, close } = openService(settings);
  return { location, close, agent_id, call: (name, input) => call(name, input, { agent_id, session_id: null }) };
}
