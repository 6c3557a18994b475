import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import type { MapPoint } from './camera.ts';

type Gestures = {
  onPan: (dx: number, dy: number) => void;
  onZoom: (by: number, at: MapPoint) => void;
  onClick: (at: MapPoint) => void;
  onHover: (at: MapPoint | undefined) => void;
};

const CLICK_PX = 4;

/** Drag moves, the wheel and two fingers zoom, a click that did not move selects. */
export function usePointer(canvas: RefObject<HTMLCanvasElement | null>, gestures: Gestures) {
  const latest = useRef(gestures);
  latest.current = gestures;
  const pointers = useRef(new Map<number, MapPoint>());
  const travelled = useRef(0);
  const at = (event: { clientX: number; clientY: number }): MapPoint => {
    const box = canvas.current?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  };
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const point = { x: event.clientX - box.left, y: event.clientY - box.top };
      latest.current.onZoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), point);
    };
    // React listens passively, and then the page would scroll too.
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [canvas]);
  return {
    onPointerDown: (event: PointerEvent<HTMLCanvasElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      pointers.current.set(event.pointerId, at(event));
      travelled.current = 0;
    },
    onPointerMove: (event: PointerEvent<HTMLCanvasElement>) => {
      const before = pointers.current.get(event.pointerId);
      const now = at(event);
      if (!before) return latest.current.onHover(now);
      travelled.current += Math.hypot(now.x - before.x, now.y - before.y);
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
      pointers.current.set(event.pointerId, now);
      if (!other) return latest.current.onPan(now.x - before.x, now.y - before.y);
      const spread = (point: MapPoint) => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
      latest.current.onZoom(spread(now) / spread(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    },
    onPointerUp: (event: PointerEvent<HTMLCanvasElement>) => {
      const wasDown = pointers.current.delete(event.pointerId);
      if (wasDown && pointers.current.size === 0 && travelled.current < CLICK_PX) latest.current.onClick(at(event));
    },
    onPointerCancel: (event: PointerEvent<HTMLCanvasElement>) => {
      pointers.current.delete(event.pointerId);
    },
    onPointerLeave: () => latest.current.onHover(undefined),
  };
}
