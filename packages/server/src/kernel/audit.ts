import { hash, randomUUID } from 'node:crypto';
import type { Caller } from './caller.ts';

/** The resource of an operation, and its hash before and after. */
export type Subject = { resource: string; before_hash: string | null; after_hash: string | null };

export type AuditRow = Subject & {
  account_id: string;
  no: number;
  at: number;
  actor: string;
  key_id: string | null;
  key_name: string | null;
  user_name: string | null;
  agent_id: string;
  action: string;
  address: string | null;
  request_id: string;
  /** The chain covers the subject by a salted hash. Without the salt, an erased subject cannot be guessed. */
  subject_salt: string | null;
  subject_hash: string | null;
  /** The chain covers the agent by a salted hash. The salt is null after the agent was erased, and in older rows. */
  agent_salt: string | null;
  agent_hash: string | null;
  /** The hash of this row and the one before it. */
  hash: string | null;
};

/** In hexadecimal digits. */
export const sha256 = (data: string | Uint8Array): string => hash('sha256', data, 'hex');

export const subjectHash = (salt: string, { resource, before_hash, after_hash }: Subject): string =>
  sha256(JSON.stringify([salt, resource, before_hash, after_hash]));

export const agentHash = (salt: string, agentId: string): string => sha256(JSON.stringify([salt, agentId]));

/** Links a row to the one before it. The subject is included by its hash, so that it can be erased. */
export function chainAudit(previous: string, row: Omit<AuditRow, 'hash'>): string {
  const { no, at, actor, key_id, key_name, user_name, action, address, request_id } = row;
  const subject = [
    no,
    at,
    actor,
    key_id,
    key_name,
    user_name,
    row.agent_hash ?? row.agent_id,
    action,
    address,
    request_id,
  ];
  return sha256(JSON.stringify([previous, ...subject, row.subject_hash]));
}

export type AuditedAction = { action: string; subject: Subject; place: { account_id: string; no: number; at: number } };

/** Builds a row. Its hash is added when the row is written. */
export function auditRow(caller: Caller, { action, subject, place }: AuditedAction): AuditRow {
  const subject_salt = randomUUID();
  const agent_salt = randomUUID();
  return {
    actor: caller.actor,
    key_id: caller.key?.key_id ?? null,
    key_name: caller.key?.name ?? null,
    user_name: caller.user ?? null,
    agent_id: caller.agent_id,
    action,
    address: caller.address,
    request_id: caller.request_id,
    subject_salt,
    subject_hash: subjectHash(subject_salt, subject),
    agent_salt,
    agent_hash: agentHash(agent_salt, caller.agent_id),
    hash: null,
    account_id: place.account_id,
    no: place.no,
    at: place.at,
    resource: subject.resource,
    before_hash: subject.before_hash,
    after_hash: subject.after_hash,
  };
}
