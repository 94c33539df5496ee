// Time: the frame that is shown, and how it advances.

import type { Run } from './data';

export class Player {
  speed = 1;
  /** True while the newest frame of a growing run is shown. */
  isFollowing = false;
  private time: number;
  private frameIndex = 0;
  private isRunning = false;
  private lastTick = 0;

  /** @param isGrowing  true if frames may still follow the last one. */
  constructor(
    private run: Run, private readonly isGrowing: () => boolean,
    private readonly onFrame: (frame: number, time: number) => void,
    private readonly onPlay: (isPlaying: boolean) => void,
  ) {
    this.time = run.times[0];
  }

  get frame(): number {
    return this.frameIndex;
  }

  /** Keeps the time when another run becomes the one that sets the pace. */
  setRun(run: Run): void {
    const isOther = run !== this.run;
    this.run = run;
    this.show(isOther ? run.frameAt(this.time) : this.frameIndex);
  }

  setFrame(frame: number): void {
    this.stopFollowing();
    this.show(frame);
  }

  private show(frame: number): void {
    this.frameIndex = Math.min(this.run.numFrames - 1, Math.max(0, Math.round(frame) || 0));
    this.time = this.run.times[this.frameIndex];
    this.onFrame(this.frameIndex, this.time);
  }

  seek(time: number): void {
    const frame = this.run.frameAt(time);
    const next = Math.min(frame + 1, this.run.numFrames - 1);
    const isNextNearer = this.run.times[next] - time < time - this.run.times[frame];
    this.setFrame(isNextNearer ? next : frame);
  }

  follow(): void {
    this.isRunning = false;
    this.isFollowing = true;
    this.onPlay(true);
    this.show(Infinity);
  }

  private stopFollowing(): void {
    if (!this.isFollowing) return;
    this.isFollowing = false;
    this.onPlay(this.isRunning);
  }

  /** Handles frames added at the end of the run, and the number dropped at its start. */
  grow(forgotten: number): void {
    if (this.isFollowing) this.show(Infinity);
    else if (forgotten > 0) this.show(this.frameIndex - forgotten);
  }

  toggle(): void {
    if (this.isFollowing) return this.stopFollowing();
    if (this.isRunning) return this.pause();
    if (this.frameIndex === this.run.numFrames - 1) {
      if (this.isGrowing()) return this.follow();
      this.show(0);
    }
    this.isRunning = true;
    this.lastTick = performance.now();
    this.onPlay(true);
    requestAnimationFrame((now) => this.tick(now));
  }

  pause(): void {
    this.stopFollowing();
    this.isRunning = false;
    this.onPlay(false);
  }

  private tick(now: number): void {
    if (!this.isRunning) return;
    // A slow machine drops frames rather than time, but never more than a quarter second at once.
    this.time += this.speed * Math.min(0.25, Math.max(0, (now - this.lastTick) / 1000));
    this.lastTick = now;
    const frame = this.run.frameAt(this.time);
    if (frame !== this.frameIndex) {
      this.frameIndex = frame;
      this.onFrame(frame, this.run.times[frame]);
    }
    if (frame === this.run.numFrames - 1) {
      if (this.isGrowing()) return this.follow();
      return this.pause();
    }
    requestAnimationFrame((later) => this.tick(later));
  }
}
