"""{'rate': 30, 'after': ('hexes', 40)}"""
import sys, os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import junk
junk.main(33)
