#!/usr/bin/env node
import module from 'node:module';

// Newer runtimes keep what they compiled for the next start, if asked before there is something to compile.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const { runMcp } = await import('./stdio.ts');

process.exitCode = await runMcp(process.argv.slice(2));
