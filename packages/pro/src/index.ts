import type { Module } from '@mem-service/server/module';
import { branchAccess } from './access/index.ts';
import { alerts } from './alerts/index.ts';
import { attribution } from './attribution/index.ts';
import { backfills } from './backfills/index.ts';
import { behaviors } from './behaviors/index.ts';
import { branches } from './branches/index.ts';
import { budgets } from './budgets/index.ts';
import { cases } from './cases/index.ts';
import { fixes } from './fixes/index.ts';
import { incidents } from './incidents/index.ts';
import { investigations } from './investigations/index.ts';
import { judges } from './judges/index.ts';
import { merges } from './merges/index.ts';
import { negotiations } from './negotiations/index.ts';
import { patterns } from './patterns/index.ts';
import { pullRequests } from './pull-requests/index.ts';
import { quarantine } from './quarantine/index.ts';
import { rollback } from './rollback/index.ts';
import { roomDocuments } from './room-documents/index.ts';
import { rooms } from './rooms/index.ts';
import { segments } from './segments/index.ts';
import { tags } from './tags/index.ts';
import { teams } from './teams/index.ts';
import { traceNavigation } from './trace-navigation/index.ts';
import { trainingExport } from './training-export/index.ts';
import { verdicts } from './verdicts/index.ts';

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
  judges,
  verdicts,
  budgets,
  trainingExport,
  backfills,
  segments,
  attribution,
  cases,
  incidents,
  behaviors,
  alerts,
  fixes,
  investigations,
  patterns,
  rooms,
  negotiations,
  roomDocuments,
];
