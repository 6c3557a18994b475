#!/usr/bin/env node
import { openApp } from './app.ts';
import { runCli } from './cli/index.ts';
import { readConfig } from './config.ts';
import { serve } from './serve.ts';

process.exitCode = await runCli(process.argv.slice(2), { readConfig, openApp, serve });
