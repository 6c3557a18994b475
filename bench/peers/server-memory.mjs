import { createRequire } from 'node:module';
import { startStdio } from './stdio.mjs';

/** The program, if it is installed: in node_modules, or named by a variable. */
export function findServerMemory() {
  if (process.env.BENCH_SERVER_MEMORY) return process.env.BENCH_SERVER_MEMORY;
  try {
    return createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');
  } catch {
    return undefined;
  }
}

/** The knowledge-graph server of the MCP project, which reads and writes its file as a whole. */
export async function openServerMemory(file, store) {
  const client = await startStdio(file, { MEMORY_FILE_PATH: store });
  const entity = (name) => ({ name, entityType: 'note', observations: [`the note of ${name}`] });
  return {
    write: (name) => client.call('create_entities', { entities: [entity(name)] }),
    fill: (names) => client.call('create_entities', { entities: names.map(entity) }),
    read: (name) => client.call('open_nodes', { names: [name] }),
    search: (query) => client.call('search_nodes', { query }),
    async countOf(names) {
      const { content } = await client.call('open_nodes', { names });
      return JSON.parse(content[0].text).entities.length;
    },
    stop: () => client.stop(),
  };
}
