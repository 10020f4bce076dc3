#!/usr/bin/env node
import { runNodeJs } from "@bufbuild/protoplugin";
import { plugin } from "./plugin.ts";

runNodeJs(plugin);
