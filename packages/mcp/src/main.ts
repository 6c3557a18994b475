#!/usr/bin/env node
import module from 'node:module';

// Newer versions of Node.js cache compiled code for the next start; this must be enabled before modules are loaded.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const { runMcp } = await import('./stdio.ts');

process.exitCode = await runMcp(process.argv.slice(2));
