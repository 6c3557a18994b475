#!/usr/bin/env node
import module from 'node:module';

// Newer runtimes keep what they compiled for the next start, if asked before there is something to compile.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const { runProgram } = await import('./program.ts');

process.exitCode = await runProgram(process.argv.slice(2));
