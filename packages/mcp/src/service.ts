import { createClient } from '@mem-service/sdk';
import { openLocal } from './local-service.ts';
import type { MemoryLocation } from './location.ts';
import type { LogReader, MemoryService } from './session.ts';
import { type McpSettings, SettingsError } from './settings.ts';

export type OpenService = MemoryService & {
  location: MemoryLocation;
  close(): Promise<void>;
};

/** Connects to the server at MEM_HTTP_URL, or opens a store. */
export function openService(settings: McpSettings): OpenService {
  return settings.location.kind === 'server' ? openRemote(settings) : openLocal(settings);
}

function openRemote({ apiKey, location, readUrls, branch }: McpSettings): OpenService {
  try {
    const client = createClient({ url: location.at, apiKey, readUrls, branch });
    return {
      mode: 'remote',
      location,
      call: (name, input, { agent_id, session_id }) =>
        client.callText(name, input, { agentId: agent_id, sessionId: session_id ?? undefined }),
      lines: (name, input, { agent_id, session_id }) =>
        client.linesText(name, input, { agentId: agent_id, sessionId: session_id ?? undefined }),
      async follow(input, { agent_id }, reader) {
        const over = new AbortController();
        const texts = client.streamText('log.stream', input, { agentId: agent_id, signal: over.signal });
        void readAll(texts, reader);
        return () => over.abort();
      },
      close: async () => {},
    };
  } catch (error) {
    throw new SettingsError(
      `${readUrls.length > 0 ? 'MEM_HTTP_URL, MEM_HTTP_READ_URLS' : 'MEM_HTTP_URL'}: ${(error as Error).message}`,
    );
  }
}

async function readAll(texts: AsyncIterable<string>, reader: LogReader): Promise<void> {
  try {
    for await (const text of texts) reader.take(JSON.parse(text));
    reader.end();
  } catch (error) {
    reader.end(error);
  }
}
