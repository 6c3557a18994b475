import type { Module } from '@mem-service/server/module';
import { branchAccess } from './access/index.ts';
import { branches } from './branches/index.ts';
import { merges } from './merges/index.ts';
import { pullRequests } from './pull-requests/index.ts';
import { quarantine } from './quarantine/index.ts';
import { rollback } from './rollback/index.ts';
import { tags } from './tags/index.ts';
import { teams } from './teams/index.ts';
import { traceNavigation } from './trace-navigation/index.ts';

/** The modules that a server loads when this package is installed. */
export const modules: readonly Module[] = [
  branches,
  merges,
  pullRequests,
  tags,
  rollback,
  quarantine,
  teams,
  branchAccess,
  traceNavigation,
];
