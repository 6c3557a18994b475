#!/usr/bin/env node
import { runCli } from './cli/index.ts';
import { readConfig, readEnvironment } from './config.ts';

// The store and the server are loaded by the commands that need them.
process.exitCode = await runCli(process.argv.slice(2), {
  readConfig,
  readEnvironment,
  openApp: async (config) => (await import('./app.ts')).openApp(config),
  serve: async (config) => (await import('./serve.ts')).serve(config),
  inspectStore: async (config) => (await import('./inspect.ts')).inspectStore(config),
  openMemory: async (env, client) => (await import('@mem-service/mcp')).openMemory(env, client),
  mcp: async (args) => (await import('@mem-service/mcp')).runMcp(args),
});
