// Writes the file of words on a thread of its own: neither making words nor adding them to the index delays a request.
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

// Sources run as they are, and this runtime may have to be taught TypeScript.
if (workerData.loader) (await import(workerData.loader)).register();
const { loadDriver } = await import('../../../db/sqlite-connection.ts');
const { identityOf } = await import('../../../db/sqlite-attached.ts');
const { isUnusable } = await import('../../../db/sqlite-errors.ts');
const { WordsFile } = await import('./words-file.ts');

const driver = await loadDriver();
yieldToRequests();
let file;
let isClosing = false;
/** A closed connection keeps its files open until the runtime collects its statements, which the end of the thread does. */
let isLast = false;

/** Lowers the priority of this thread alone, where the system can do that: the index may lag behind, requests must not. */
function yieldToRequests() {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {}
}

/** The file is made from the store again, whatever is wrong with it; a full disk or a folder without rights stays an error. */
const isRemedied = (error) =>
  !error.isOfStore && (isUnusable(error) || (error.errcode === undefined && error.code === undefined));

function closeFile() {
  const closed = file;
  file = undefined;
  isLast ||= closed !== undefined;
  try {
    closed?.close();
  } catch {
    // What is damaged or gone need not be closed well.
  }
}

function discard() {
  closeFile();
  WordsFile.remove(workerData);
}

function opened() {
  release();
  try {
    file ??= new WordsFile(driver, workerData);
  } catch (error) {
    if (!isRemedied(error)) throw error;
    discard();
    file = new WordsFile(driver, workerData);
  }
  return file;
}

/** Lets go of a file that was removed, replaced or emptied. */
function release() {
  if (!file?.isReplaced) return;
  closeFile();
  if (identityOf(workerData.path) === undefined) WordsFile.remove(workerData);
}

/** Removes the file that a search could not read, unless it was replaced since then. */
function discardIf({ identity }) {
  if (identityOf(workerData.path) === identity) discard();
}

/** Removes the file where it is damaged. Says whether it was. */
function examine() {
  if (identityOf(workerData.path) === undefined) return true;
  try {
    WordsFile.examine(driver, workerData);
    return false;
  } catch (error) {
    if (!isUnusable(error)) throw error;
    discard();
    return true;
  }
}

async function index({ accounts }) {
  for (const account_id of accounts) {
    for (let place; !isClosing && (!place || place.reached < place.head); ) {
      place = opened().indexSome(account_id);
      parentPort.postMessage({ progress: { account_id, ...place } });
      await nextTurn();
    }
  }
}

async function compact() {
  for (const account of opened().accounts) {
    for (let at, isFirst = true; !isClosing && (isFirst || at !== undefined); isFirst = false) {
      at = opened().reconcileSome(account, at);
      await nextTurn();
    }
  }
  for (let isFirst = true; !isClosing && opened().mergeSome(isFirst); isFirst = false) await nextTurn();
  if (!isClosing) opened().rewrite();
}

const TASKS = { index, compact, release, examine, discard: discardIf };

async function attempt(task, input) {
  try {
    return await TASKS[task](input);
  } catch (error) {
    if (error.isOfStore || !isUnusable(error)) throw error;
    discard();
    return await TASKS[task](input);
  }
}

/** After its last answer, the thread ends; the next one does what is still asked of it. */
function answer(given) {
  parentPort.postMessage({ ...given, isLast });
  if (isLast) end();
}

function end() {
  try {
    file?.emptyLog();
  } catch {
    // The next process does it.
  }
  closeFile();
  parentPort.close();
}

async function run({ id, task, ...input }) {
  try {
    const result = await attempt(task, input);
    answer({ id, isComplete: !isClosing && result !== false });
  } catch (error) {
    closeFile();
    const { message, errcode, code } = error;
    answer({ id, error: { message, errcode, code } });
  }
}

let turn = Promise.resolve();
parentPort.on('message', (request) => {
  if (request === 'close') {
    isClosing = true;
    turn.then(end);
    return;
  }
  turn = turn.then(() => (isLast ? undefined : run(request)));
});
