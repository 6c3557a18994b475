// Writes the file of words on a thread of its own: neither making words nor adding them to the index delays a request.
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

// Sources run as they are, and this runtime may have to be taught TypeScript.
if (workerData.loader) (await import(workerData.loader)).register();
const { loadDriver } = await import('../../../db/sqlite-connection.ts');
const { WordsFile } = await import('./words-file.ts');

const driver = await loadDriver();
yieldToRequests();
let file;
let isClosing = false;

/** Lowers the priority of this thread alone, where the system can do that: the index may lag behind, requests must not. */
function yieldToRequests() {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {}
}

const DAMAGED = new Set([11, 26]);
const isDamaged = ({ errcode = 0 }) => DAMAGED.has(errcode & 0xff);

function opened() {
  try {
    file ??= new WordsFile(driver, workerData);
  } catch (error) {
    // It is made from the store again, whatever is wrong with it; a full disk or a folder without rights stays an error.
    if (error.errcode !== undefined && !isDamaged(error)) throw error;
    if (error.code !== undefined && error.errcode === undefined) throw error;
    WordsFile.remove(workerData);
    file = new WordsFile(driver, workerData);
  }
  return file;
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

const TASKS = { index, compact };

async function run({ id, task, ...input }) {
  try {
    await TASKS[task](input);
    parentPort.postMessage({ id, isComplete: !isClosing });
  } catch (error) {
    if (isDamaged(error) && file) {
      file.close();
      file = undefined;
      WordsFile.remove(workerData);
    }
    parentPort.postMessage({ id, error: { message: error.message, errcode: error.errcode, code: error.code } });
  }
}

let turn = Promise.resolve();
parentPort.on('message', (request) => {
  if (request === 'close') {
    isClosing = true;
    turn.then(() => {
      file?.close();
      parentPort.close();
    });
    return;
  }
  turn = turn.then(() => run(request));
});
